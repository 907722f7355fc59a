/** A pod suffers, and no object tells why: what has befallen it goes with it or stays with its node, which it then leaves. */
import type { FaultCategory, FaultLayer, FaultType } from '../../../spec/index.ts'
import { labelsOf } from '../observe/kube-shapes.ts'
import { describePod, type PodView } from '../observe/pods.ts'
import { describeUsage, isBloated, isStarved, type Usage } from '../observe/usage.ts'
import type { World } from '../observe/world.ts'
import { deleteTask, toPlaybook } from '../playbook.ts'
import { candidates, defineRunbook, type Focus, type Hypothesis } from '../runbook.ts'
import { compareTemplates } from '../template/template-difference.ts'
import { alteredImage, findSickness, type Sickness } from './sick-pod/find-sickness.ts'
import { cutOffFrom, leaveNode } from './sick-pod/leave-node.ts'

interface Known {
  readonly what: string
  readonly layer: FaultLayer
  readonly type: FaultType
  /** Whether it would answer nobody while it says good-bye. */
  readonly isDeaf: boolean
}

/** What is known of a category when nothing that was rolled out is to blame. */
const KNOWN: Readonly<Record<FaultCategory, Known>> = {
  'cpu-stress': {
    what: 'something in it uses up its CPU',
    layer: 'operating-system',
    type: 'capacity-shortage',
    isDeaf: true,
  },
  'memory-stress': {
    what: 'something in it uses up its memory',
    layer: 'operating-system',
    type: 'capacity-shortage',
    isDeaf: true,
  },
  'disk-io': {
    what: 'it waits for its disk',
    layer: 'hardware',
    type: 'network-storage-issue',
    isDeaf: true,
  },
  'network-loss': {
    what: 'its packets get lost',
    layer: 'network',
    type: 'network-storage-issue',
    isDeaf: false,
  },
  'network-delay': {
    what: 'its packets come late',
    layer: 'network',
    type: 'network-storage-issue',
    isDeaf: false,
  },
  'pod-fail': {
    what: 'it runs and does nothing',
    layer: 'virtualisation',
    type: 'operation-error',
    isDeaf: true,
  },
  'pod-config-error': {
    what: 'its clock is wrong',
    layer: 'operating-system',
    type: 'misconfiguration',
    isDeaf: false,
  },
}

/** What is the node's and not the pod's, in words: a clock, or the way to somebody. */
const nodeTrouble = async (
  world: World,
  { service, node }: PodView,
  category: FaultCategory,
): Promise<string | undefined> => {
  if (category === 'pod-config-error') return `the clock of its node ${node} is wrong`
  const peer = category === 'network-loss' ? cutOffFrom(await world.calls(), service) : undefined
  return peer === undefined ? undefined : `from its node ${node} nobody gets through to ${peer}`
}

const toHypothesis = async (
  world: World,
  pod: PodView,
  { category, score, evidence }: Omit<Sickness, 'service'>,
): Promise<Hypothesis> => {
  const { what, layer, type, isDeaf } = KNOWN[category]
  const { name, service, uid } = pod
  const trouble = await nodeTrouble(world, pod, category)
  const leaving = trouble === undefined ? undefined : await leaveNode(world, pod)
  if (leaving !== undefined)
    return {
      runbook: 'sick-pod',
      services: [service],
      layer,
      type,
      score,
      evidence,
      // A clock does not right itself, and where nobody happens to ask for the time it only seems so.
      mayPass: category !== 'pod-config-error',
      claim: `The pod ${name} of ${service} is sick because of where it is: ${trouble}.`,
      fix: leaving,
    }
  return {
    runbook: 'sick-pod',
    services: [service],
    layer,
    type,
    score,
    mayPass: true,
    claim: `The pod ${name} of ${service} is sick: ${what}, and nothing that was rolled out explains it.`,
    evidence,
    fix: {
      plan: `Replace ${name}: its workload makes a new one, and nobody else is touched.`,
      services: [service],
      replaces: [uid],
      playbook: toPlaybook(`Replace the sick pod of ${service}`, [
        deleteTask(
          'Delete it; its workload makes a new one',
          { apiVersion: 'v1', kind: 'Pod', name, namespace: world.namespace },
          isDeaf ? 1 : undefined,
        ),
      ]),
    },
  }
}

/** One that has no place, or cannot be started, would not be better off as another one; one that was started and fails may be. */
const isReplaceable = ({ phase, waiting = 'CrashLoopBackOff' }: PodView): boolean =>
  phase === 'Running' && waiting.startsWith('CrashLoopBackOff')

/** Of several, the one that the evidence is about; the one that leads where there is none. */
const sickOf = (
  pods: readonly PodView[],
  category: FaultCategory,
  usage: readonly Usage[],
): PodView | undefined => {
  const isIt = ({ name, ready }: PodView): boolean => {
    if (category === 'pod-fail') return !ready
    const own = usage.filter(({ pod }) => pod === name)
    if (category === 'cpu-stress') return own.some(isStarved)
    return category === 'memory-stress' && own.some(isBloated)
  }
  return pods.find(isIt) ?? pods.find(({ object }) => labelsOf(object).role === 'leader') ?? pods[0]
}

/** Where a report names the service and the sort of trouble, the pod is all that is left to be found. */
const lookAtNamed = async (
  world: World,
  service: string,
  category: FaultCategory,
): Promise<readonly Hypothesis[]> => {
  const pods = await world.podsOf(service)
  const isUsed = category === 'cpu-stress' || category === 'memory-stress'
  const usage = isUsed ? (await world.metrics()).usage.filter((one) => one.service === service) : []
  const pod = sickOf(pods, category, usage)
  if (pod === undefined) return []
  const altered = alteredImage(pod, await world.workloadOf(service))
  if (!isReplaceable(pod) && altered.length === 0) return []
  const told = usage.filter((one) => one.pod === pod.name).map(describeUsage)
  const evidence = ['its template is as it was deployed', `pod ${describePod(pod)}`, ...altered, ...told]
  return [await toHypothesis(world, pod, { category, score: 0.8, evidence })]
}

/** Whether the workload's last rollout would be to blame first. */
const isChanged = async (world: World, focus: Focus): Promise<ReadonlySet<string>> =>
  new Set(
    (await candidates(world, focus))
      .filter(
        ({ previous, template }) => previous !== undefined && compareTemplates(template, previous).length > 0,
      )
      .map(({ service }) => service),
  )

export const sickPod = defineRunbook({
  name: 'sick-pod',
  about:
    'trouble in one pod that goes with the pod: CPU, memory, disk, network, clock, or a pod that does nothing',
  categories: [
    ...(['cpu-stress', 'memory-stress', 'disk-io', 'network-loss'] as const),
    ...(['network-delay', 'pod-fail', 'pod-config-error'] as const),
  ],
  async look(world, focus) {
    const changed = await isChanged(world, focus)
    const { service, category } = focus
    if (service !== undefined && category !== undefined)
      return changed.has(service) ? [] : lookAtNamed(world, service, category)
    const found: Hypothesis[] = []
    for (const sickness of await findSickness(world)) {
      const metrics = await world.metrics()
      const pod = sickOf(await world.podsOf(sickness.service), sickness.category, metrics.usage)
      if (pod === undefined || !isReplaceable(pod) || changed.has(sickness.service)) continue
      found.push(await toHypothesis(world, pod, sickness))
    }
    return found
  },
})

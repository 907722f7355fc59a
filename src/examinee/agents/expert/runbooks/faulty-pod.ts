/** Runbook for a faulty pod if no object explains the fault: replaces the pod, or moves it if its node is the cause. */
import { type FaultCategory, type FaultLayer, type FaultType, labelsOf } from '#spec'
import { describePod, type PodView } from '../observe/pods.ts'
import { describeUsage, isThrottled, type Usage, usesExcessiveMemory } from '../observe/usage.ts'
import type { World } from '../observe/world.ts'
import { deleteTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Focus, type Hypothesis, listCandidates } from '../runbook.ts'
import { compareTemplates } from '../template/template-difference.ts'
import { findAlteredImages, findPodFaults, type PodFault } from './faulty-pod/find-pod-faults.ts'
import { findUnreachablePeer, leaveNode } from './faulty-pod/leave-node.ts'

interface CategoryInfo {
  readonly problem: string
  readonly layer: FaultLayer
  readonly type: FaultType
  /** Whether the pod cannot serve requests during a graceful termination. */
  readonly isUnresponsive: boolean
}

/** For each category: the likely cause if no rollout explains the fault. */
const CATEGORIES: Readonly<Record<FaultCategory, CategoryInfo>> = {
  'cpu-stress': {
    problem: 'a process in it exhausts its CPU',
    layer: 'operating-system',
    type: 'capacity-shortage',
    isUnresponsive: true,
  },
  'memory-stress': {
    problem: 'a process in it exhausts its memory',
    layer: 'operating-system',
    type: 'capacity-shortage',
    isUnresponsive: true,
  },
  'disk-io': {
    problem: 'its disk is slow',
    layer: 'hardware',
    type: 'network-storage-issue',
    isUnresponsive: true,
  },
  'network-loss': {
    problem: 'its packets are lost',
    layer: 'network',
    type: 'network-storage-issue',
    isUnresponsive: false,
  },
  'network-delay': {
    problem: 'its packets are delayed',
    layer: 'network',
    type: 'network-storage-issue',
    isUnresponsive: false,
  },
  'pod-fail': {
    problem: 'it runs but does not serve',
    layer: 'virtualisation',
    type: 'operation-error',
    isUnresponsive: true,
  },
  'pod-config-error': {
    problem: 'its clock is wrong',
    layer: 'operating-system',
    type: 'misconfiguration',
    isUnresponsive: false,
  },
}

/** Describes the problem if the node is its cause, not the pod: a wrong clock, or no connection to a service. */
const describeNodeProblem = async (
  world: World,
  { service, node }: PodView,
  category: FaultCategory,
): Promise<string | undefined> => {
  if (category === 'pod-config-error') return `the clock of its node ${node} is wrong`
  const peer = category === 'network-loss' ? findUnreachablePeer(await world.calls(), service) : undefined
  return peer === undefined ? undefined : `${peer} cannot be reached from its node ${node}`
}

const toHypothesis = async (
  world: World,
  pod: PodView,
  { category, score, evidence }: Omit<PodFault, 'service'>,
): Promise<Hypothesis> => {
  const { problem, layer, type, isUnresponsive } = CATEGORIES[category]
  const { name, service, uid } = pod
  const nodeProblem = await describeNodeProblem(world, pod, category)
  const nodeFix = nodeProblem === undefined ? undefined : await leaveNode(world, pod)
  if (nodeFix !== undefined)
    return {
      runbook: 'faulty-pod',
      services: [service],
      layer,
      type,
      score,
      evidence,
      // A wrong clock does not recover. Without requests that depend on the time, it only seems to recover.
      mayBeTransient: category !== 'pod-config-error',
      claim: `The pod ${name} of ${service} is faulty because of its node: ${nodeProblem}.`,
      fix: nodeFix,
    }
  return {
    runbook: 'faulty-pod',
    services: [service],
    layer,
    type,
    score,
    mayBeTransient: true,
    claim: `The pod ${name} of ${service} is faulty: ${problem}, and no rollout explains it.`,
    evidence,
    fix: {
      plan: `Delete ${name}, so that its workload creates a new pod. Nothing else is changed.`,
      services: [service],
      replaces: [uid],
      playbook: toPlaybook(`Replace the faulty pod of ${service}`, [
        deleteTask(
          'Delete the pod; its workload creates a new one',
          { apiVersion: 'v1', kind: 'Pod', name, namespace: world.namespace },
          isUnresponsive ? 1 : undefined,
        ),
      ]),
    },
  }
}

/** A new pod helps only if the old one was scheduled and started. */
const isReplaceable = ({ phase, waitingReason = 'CrashLoopBackOff' }: PodView): boolean =>
  phase === 'Running' && waitingReason.startsWith('CrashLoopBackOff')

/** Returns the pod with evidence of the category, or else the leader or the first pod. */
const findFaultyPod = (
  pods: readonly PodView[],
  category: FaultCategory,
  usage: readonly Usage[],
): PodView | undefined => {
  const hasEvidence = ({ name, isReady }: PodView): boolean => {
    if (category === 'pod-fail') return !isReady
    const podUsage = usage.filter(({ pod }) => pod === name)
    if (category === 'cpu-stress') return podUsage.some(isThrottled)
    return category === 'memory-stress' && podUsage.some(usesExcessiveMemory)
  }
  return pods.find(hasEvidence) ?? pods.find(({ object }) => labelsOf(object).role === 'leader') ?? pods[0]
}

/** If the report names the service and the category, only the pod has to be found. */
const diagnoseNamed = async (
  world: World,
  service: string,
  category: FaultCategory,
): Promise<readonly Hypothesis[]> => {
  const pods = await world.podsOf(service)
  const needsUsage = category === 'cpu-stress' || category === 'memory-stress'
  const usage = needsUsage
    ? (await world.metrics()).usage.filter((podUsage) => podUsage.service === service)
    : []
  const pod = findFaultyPod(pods, category, usage)
  if (pod === undefined) return []
  const altered = findAlteredImages(pod, await world.workloadOf(service))
  if (!isReplaceable(pod) && altered.length === 0) return []
  const details = usage.filter((podUsage) => podUsage.pod === pod.name).map(describeUsage)
  const evidence = ['its pod template was not changed', `pod ${describePod(pod)}`, ...altered, ...details]
  return [await toHypothesis(world, pod, { category, score: 0.8, evidence })]
}

/** Lists the services with a changed pod template, which the runbook rollout covers. */
const listChangedServices = async (world: World, focus: Focus): Promise<ReadonlySet<string>> =>
  new Set(
    (await listCandidates(world, focus))
      .filter(
        ({ previous, template }) => previous !== undefined && compareTemplates(template, previous).length > 0,
      )
      .map(({ service }) => service),
  )

export const faultyPod = defineRunbook({
  name: 'faulty-pod',
  about: 'a fault of one pod: CPU, memory, disk, network, clock, or a pod that does not serve',
  categories: [
    ...(['cpu-stress', 'memory-stress', 'disk-io', 'network-loss'] as const),
    ...(['network-delay', 'pod-fail', 'pod-config-error'] as const),
  ],
  async diagnose(world, focus) {
    const changed = await listChangedServices(world, focus)
    const { service, category } = focus
    if (service !== undefined && category !== undefined)
      return changed.has(service) ? [] : diagnoseNamed(world, service, category)
    const hypotheses: Hypothesis[] = []
    for (const podFault of await findPodFaults(world)) {
      const metrics = await world.metrics()
      const pod = findFaultyPod(await world.podsOf(podFault.service), podFault.category, metrics.usage)
      if (pod === undefined || !isReplaceable(pod) || changed.has(podFault.service)) continue
      hypotheses.push(await toHypothesis(world, pod, podFault))
    }
    return hypotheses
  },
})

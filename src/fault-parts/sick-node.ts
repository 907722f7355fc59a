/** What faults have in common that make one node sick: the right answer is to take the node out of service. */
import type {
  ApiObject,
  Fault,
  FaultContext,
  FaultTarget,
  Finding,
  Hack,
  HackContext,
  Scene,
  SystemView,
} from '../spec/index.ts'
import { makeNodeSick, makeNodeWell, type NodeSickness, nodeOf } from './node-sickness.ts'
import { toPlaybook } from './playbook.ts'
import type { Wanted } from './pod-targets.ts'
import { podsOf } from './pods.ts'
import { restartTheTarget } from './restart-hacks.ts'

/** Pods with a claim cannot leave the node where their volume lies. */
const hasClaims = (system: SystemView): boolean =>
  system.objects.some(({ kind }) => kind === 'PersistentVolumeClaim') ||
  system.workloads.some(
    ({ manifest }) =>
      (manifest.spec as { volumeClaimTemplates?: unknown }).volumeClaimTemplates !== undefined,
  )

/** Services that users wait for, in systems whose pods can all be moved. */
export const movableTargets = (
  system: SystemView,
  { when, also = () => true }: Wanted,
): readonly FaultTarget[] =>
  hasClaims(system)
    ? []
    : system.workloads
        .filter(
          (workload) =>
            workload.kind === 'Deployment' &&
            workload.replicas === 1 &&
            also(workload) &&
            system.impactOf(workload.service)[when].length > 0,
        )
        .map(({ service }) => ({ service }))

const OUT_OF_USE: readonly (string | undefined)[] = ['NoSchedule', 'NoExecute']

/** Whether no pod is put there any more. */
export const isOutOfUse = (node: ApiObject | undefined): boolean => {
  const { unschedulable, taints = [] } = (node?.spec ?? {}) as {
    unschedulable?: boolean
    taints?: readonly { effect?: string }[]
  }
  return (
    node === undefined || unschedulable === true || taints.some(({ effect }) => OUT_OF_USE.includes(effect))
  )
}

const isGone = ({ now, state }: Scene): Finding => {
  const name = String(state.node)
  const left = now
    .list('Pod')
    .filter((pod) => nodeOf(pod) === name && pod.metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
  const outOfUse = isOutOfUse(now.get('Node', name))
  return {
    holds: outOfUse && left.length === 0,
    evidence: `the node ${name} ${outOfUse ? 'takes no pods' : 'takes pods'} and has ${left.join(', ') || 'none of the system'}`,
  }
}

const fix: Fault['fix'] = ({ state }) =>
  toPlaybook(`Take the node ${state.node} out of service`, [
    {
      name: 'Cordon it, and move its pods to other nodes',
      'kubernetes.core.k8s_drain': {
        name: state.node,
        state: 'drain',
        delete_options: {
          force: true,
          ignore_daemonsets: true,
          delete_emptydir_data: true,
          terminate_grace_period: 2,
          wait_timeout: 30,
        },
      },
    },
  ])

const nodeRef = (name: unknown) => ({ apiVersion: 'v1', plural: 'nodes', name: String(name) })

const everybodyOn = async ({ api, system, state }: HackContext): Promise<readonly string[]> => {
  const { items } = await api.list(
    { apiVersion: 'v1', plural: 'pods', namespace: system.namespace },
    { fieldSelector: `spec.nodeName=${state.node}` },
  )
  return items.map(({ metadata }) => metadata.name)
}

const hacks: readonly Hack[] = [
  restartTheTarget,
  {
    name: 'restart-the-whole-node',
    about: 'Deletes all pods on the node, which it may take again',
    async act(context) {
      for (const name of await everybodyOn(context))
        await context.api.delete({
          ...{ apiVersion: 'v1', plural: 'pods', namespace: context.system.namespace },
          name,
        })
    },
  },
  {
    name: 'cordon-only',
    about: 'Lets the node take no more pods, and leaves those that suffer',
    act: async ({ api, state }) => {
      await api.patch(nodeRef(state.node), 'merge', { spec: { unschedulable: true } })
    },
  },
]

export interface SickNode extends Pick<NodeSickness, 'name' | 'kind'> {
  spec(context: FaultContext): object
  isFit?(pod: ApiObject): boolean
}

/** Injection, recovery, judgement and the reference fix of such a fault. */
export const sickNode = ({ name, kind, spec, isFit = () => true }: SickNode) => {
  const toSickness = (context: FaultContext): NodeSickness => ({
    ...{ name: `${name}-${context.target.service}`, kind, spec: spec(context), isFit },
  })
  const inject: Fault['inject'] = async (context, before) => {
    const [pod] = await podsOf(context, context.target.service)
    if (before === undefined && pod === undefined) throw new Error(`no pod of ${context.target.service} runs`)
    const node = before === undefined ? nodeOf(pod!) : String(before.node)
    await makeNodeSick(context, node, toSickness(context))
    return { node }
  }
  const recover: Fault['recover'] = (context) => makeNodeWell(context, toSickness(context))
  const scope: Fault['scope'] = ({ target }) => ({ services: [target.service], nodes: true })
  return { binding: 'cause', inject, recover, isGone, scope, fix, hacks } as const
}

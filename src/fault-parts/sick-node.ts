/** What faults have in common that make one node sick: the right answer is to take the node out of service. */
import type {
  ApiObject,
  Fault,
  FaultCase,
  FaultContext,
  FaultTarget,
  Finding,
  Hack,
  HackContext,
  Scene,
  SystemView,
  WorkloadView,
} from '../spec/index.ts'
import { ignoreMissing } from './ignore-missing.ts'
import { makeNodeSick, makeNodeWell, type NodeSickness, nodeOf, serviceOf } from './node-sickness.ts'
import { toPlaybook } from './playbook.ts'
import type { Wanted } from './pod-targets.ts'
import { isOver, podsOf } from './pods.ts'
import { restartTheTarget } from './restart-hacks.ts'

/** Pods with a claim cannot leave the node where their volume lies. */
const hasClaims = (system: SystemView): boolean =>
  system.objects.some(({ kind }) => kind === 'PersistentVolumeClaim') ||
  system.workloads.some(
    ({ manifest }) =>
      (manifest.spec as { volumeClaimTemplates?: unknown }).volumeClaimTemplates !== undefined,
  )

/** Whether the pods of the service can be moved to another node: none of their volumes lies on this one. */
export const canLeave = ({ kind, podSpec }: WorkloadView): boolean =>
  kind === 'Deployment' &&
  (podSpec.volumes ?? []).every(({ persistentVolumeClaim }) => persistentVolumeClaim === undefined)

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

const toDrain: Fault['fix'] = ({ state }) =>
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

/** Where not all pods can leave the node, or need to. */
const toMove: Fault['fix'] = ({ system, state }) =>
  toPlaybook(`Take the node ${state.node} out of use for those who suffer there`, [
    {
      name: 'Cordon it',
      'kubernetes.core.k8s': {
        state: 'present',
        definition: {
          apiVersion: 'v1',
          kind: 'Node',
          metadata: { name: state.node },
          spec: { unschedulable: true },
        },
      },
    },
    {
      name: 'Delete the pods there, which come again on other nodes',
      'kubernetes.core.k8s': {
        state: 'absent',
        delete_options: { gracePeriodSeconds: 2 },
        definition: namesIn(state.pods).map((name) => ({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, namespace: system.namespace },
        })),
      },
    },
  ])

const namesIn = (list: unknown): readonly string[] => (list ?? []) as readonly string[]

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
        await ignoreMissing(
          context.api.delete({
            apiVersion: 'v1',
            plural: 'pods',
            namespace: context.system.namespace,
            name,
          }),
        )
    },
  },
  {
    name: 'cordon-only',
    about: 'Lets the node take no more pods, and leaves those that suffer',
    act: async ({ api, state }) => {
      await api.patch(nodeRef(state.node), 'merge', { spec: { unschedulable: true } })
    },
  },
  {
    name: 'hide-who-suffers',
    about: 'Lets the node take no more pods, and takes the label away by which those that suffer are found',
    async act({ api, system, state }) {
      await api.patch(nodeRef(state.node), 'merge', { spec: { unschedulable: true } })
      for (const name of namesIn(state.pods)) {
        const ref = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace, name }
        await ignoreMissing(api.patch(ref, 'merge', { metadata: { labels: { app: null } } }))
      }
    },
  },
]

/** A pod that is there, or one that the workload would make. */
type PodLike = Pick<ApiObject, 'metadata'> & { readonly spec?: unknown }

export interface SickNode extends Pick<NodeSickness, 'name' | 'kind'> {
  spec(context: FaultContext): object
  /** Whom it can be done to; everybody where absent. */
  isFit?(pod: PodLike, about: FaultCase): boolean
  /** Who suffers by it, and must not stay; all to whom it is done where absent. */
  mustLeave?(pod: PodLike, about: FaultCase): boolean
  /** Whose pods are at the other side, where it is between two. */
  peer?(about: FaultCase): string
  readonly hacks?: readonly Hack[]
}

/** Every service, as if all were on the node: where they will be is not known before the fault is there. */
const anywhere = ({ system }: FaultCase): readonly (PodLike & { readonly service: string })[] =>
  system.workloads.map(({ service, podSpec }) => ({
    service,
    metadata: { name: service, labels: { app: service } },
    spec: podSpec,
  }))

/** Injection, recovery, judgement and the reference fix of such a fault. */
export const sickNode = (sick: SickNode) => {
  const { name, kind, spec, isFit = () => true, mustLeave = isFit, peer } = sick
  const toSickness = (context: FaultContext): NodeSickness => ({
    name: `${name}-${context.target.service}`,
    kind,
    spec: spec(context),
    isFit: (pod) => isFit(pod, context),
    ...(peer === undefined ? {} : { peer: peer(context) }),
  })
  const inject: Fault['inject'] = async (context, before) => {
    const [pod] = await podsOf(context, context.target.service)
    if (before === undefined && pod === undefined) throw new Error(`no pod of ${context.target.service} runs`)
    const node = before === undefined ? nodeOf(pod!) : String(before.node)
    const hit = await makeNodeSick(context, node, toSickness(context))
    const suffering = hit.filter((one) => mustLeave(one, context))
    // Whoever has emptied the node has mended it, and the place of what is put there again is still that node.
    if (suffering.length === 0 && before !== undefined) return before
    return {
      node,
      // Also those that were hit before: one that has lost its label since is not known by it.
      pods: [...new Set([...namesIn(before?.pods), ...suffering.map(({ metadata }) => metadata.name)])],
      services: [...new Set(suffering.flatMap((one) => serviceOf(one) ?? []))],
    }
  }
  const isGone = (scene: Scene): Finding => {
    const node = String(scene.state.node)
    const suffered = namesIn(scene.state.pods)
    const left = scene.now
      .list('Pod')
      .filter((pod) => nodeOf(pod) === node && pod.metadata.deletionTimestamp === undefined && !isOver(pod))
      .filter((pod) => suffered.includes(pod.metadata.name) || mustLeave(pod, scene))
      .map(({ metadata }) => metadata.name)
    const outOfUse = isOutOfUse(scene.now.get('Node', node))
    return {
      holds: outOfUse && left.length === 0,
      evidence: `the node ${node} ${outOfUse ? 'takes no pods' : 'takes pods'} and has ${left.join(', ') || 'none of those who suffer there'}`,
    }
  }
  const culprits: Fault['culprits'] = (about) => {
    const { target, state } = about
    const others =
      state === undefined
        ? anywhere(about)
            .filter((one) => mustLeave(one, about))
            .map(({ service }) => service)
        : namesIn(state.services)
    return [...new Set([target.service, ...others])]
  }
  return {
    binding: 'cause',
    inject,
    isGone,
    culprits,
    recover: (context: FaultContext): Promise<void> => makeNodeWell(context, toSickness(context)),
    scope: ({ target }: FaultCase) => ({ services: [target.service], nodes: true }),
    fix: sick.mustLeave === undefined ? toDrain : toMove,
    hacks: [...hacks, ...(sick.hacks ?? [])],
  } as const
}

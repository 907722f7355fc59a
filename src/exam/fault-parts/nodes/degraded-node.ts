/** Defines faults that degrade one node: the correct fix takes the node out of service. */
import { defined } from '#kit'
import {
  type ApiObject,
  type CauseSnapshot,
  type Fault,
  type FaultCase,
  type FaultContext,
  type FaultTarget,
  type Finding,
  type Hack,
  isFinishedPod,
  isTerminating,
  type RepairContext,
  type SystemView,
  viewAs,
  type WorkloadView,
} from '#spec'
import { restartTarget } from '../hacks/restart-hacks.ts'
import { ignoreMissing } from '../ignore-missing.ts'
import { toPlaybook } from '../playbook.ts'
import type { TargetFilter } from '../pods/pod-targets.ts'
import { podsOf } from '../pods/pods-of.ts'
import { injectOnNode, nodeOf, type PodChaosSet, removeChaosSet, serviceOf } from './pod-chaos-set.ts'

/** Pods with a claim cannot leave the node of their volume. */
const hasClaims = (system: SystemView): boolean =>
  system.objects.some(({ kind }) => kind === 'PersistentVolumeClaim') ||
  system.workloads.some(
    ({ manifest }) => viewAs('StatefulSet', manifest).spec?.volumeClaimTemplates !== undefined,
  )

/** Whether the pods of the service can move to another node: they have no claims. */
export const canMove = ({ kind, podSpec }: WorkloadView): boolean =>
  kind === 'Deployment' &&
  (podSpec.volumes ?? []).every(({ persistentVolumeClaim }) => persistentVolumeClaim === undefined)

/** Deployments with one pod and user impact, in systems whose pods can all move. */
export const movableTargets = (
  system: SystemView,
  { when, also = () => true }: TargetFilter,
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

const CLOSING_EFFECTS: readonly string[] = ['NoSchedule', 'NoExecute']

/** Whether no new pod can be scheduled on the node. True if the node does not exist. */
export const isClosedToPods = (node: ApiObject | undefined): boolean => {
  if (node === undefined) return true
  const { unschedulable, taints = [] } = viewAs('Node', node).spec ?? {}
  return unschedulable === true || taints.some(({ effect }) => CLOSING_EFFECTS.includes(effect))
}

const toDrainPlaybook: Fault['fix'] = ({ state }) =>
  toPlaybook(`Take the node ${state.node} out of service`, [
    {
      name: 'Cordon the node and move its pods to other nodes',
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

/** For faults in which only some pods can or must leave the node. */
const toMovePlaybook: Fault['fix'] = ({ system, state }) =>
  toPlaybook(`Move the affected pods away from the node ${state.node}`, [
    {
      name: 'Cordon the node',
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
      name: 'Delete the affected pods, which are recreated on other nodes',
      'kubernetes.core.k8s': {
        state: 'absent',
        delete_options: { gracePeriodSeconds: 2 },
        definition: toNames(state.pods).map((name) => ({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, namespace: system.namespace },
        })),
      },
    },
  ])

const toNames = (list: unknown): readonly string[] => (list ?? []) as readonly string[]

const nodeRef = (name: unknown) => ({ apiVersion: 'v1', plural: 'nodes', name: String(name) })

const podsOnNode = async ({ api, system, state }: RepairContext): Promise<readonly string[]> => {
  const { items } = await api.list(
    { apiVersion: 'v1', plural: 'pods', namespace: system.namespace },
    { fieldSelector: `spec.nodeName=${state.node}` },
  )
  return items.map(({ metadata }) => metadata.name)
}

const hacks: readonly Hack[] = [
  restartTarget,
  {
    name: 'restart-the-whole-node',
    about: 'Deletes all pods on the node, which may be scheduled there again',
    async act(context) {
      for (const name of await podsOnNode(context))
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
    about: 'Cordons the node and leaves the affected pods there',
    act: async ({ api, state }) => {
      await api.patch(nodeRef(state.node), 'merge', { spec: { unschedulable: true } })
    },
  },
  {
    name: 'cordon-and-remove-pod-labels',
    about: 'Cordons the node and removes the label that identifies the affected pods',
    async act({ api, system, state }) {
      await api.patch(nodeRef(state.node), 'merge', { spec: { unschedulable: true } })
      for (const name of toNames(state.pods)) {
        const ref = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace, name }
        await ignoreMissing(api.patch(ref, 'merge', { metadata: { labels: { app: null } } }))
      }
    },
  },
]

export interface DegradedNode extends Pick<PodChaosSet, 'name' | 'kind'> {
  spec(context: FaultContext): object
  /** Whether the pod can be affected; true by default. */
  canBeAffected?(pod: ApiObject, faultCase: FaultCase): boolean
  /** Whether the pod must leave the node; by default if it can be affected. */
  mustLeave?(pod: ApiObject, faultCase: FaultCase): boolean
  /** The service on the other side of a network fault. */
  peer?(faultCase: FaultCase): string
  readonly hacks?: readonly Hack[]
}

/** A pod of every service, as if all ran on the node: before the injection their nodes are not known. */
const podsOfAllServices = ({
  system,
}: FaultCase): readonly { readonly service: string; readonly pod: ApiObject }[] =>
  system.workloads.map(({ service, podSpec }) => ({
    service,
    pod: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: service, labels: { app: service } },
      spec: podSpec,
    },
  }))

/** Returns the injection, recovery, judgement and reference fix of the fault. */
export const degradedNode = (declared: DegradedNode) => {
  const { name, kind, spec, canBeAffected = () => true, mustLeave = canBeAffected, peer } = declared
  const toChaosSet = (context: FaultContext): PodChaosSet => ({
    name: `${name}-${context.target.service}`,
    kind,
    spec: spec(context),
    isEligible: (pod) => canBeAffected(pod, context),
    ...defined({ peer: peer?.(context) }),
  })
  const inject: Fault['inject'] = async (context, before) => {
    const [pod] = await podsOf(context, context.target.service)
    if (before === undefined && pod === undefined)
      throw new Error(`no pod of ${context.target.service} exists`)
    const node = before === undefined ? nodeOf(pod!) : String(before.node)
    const affected = await injectOnNode(context, node, toChaosSet(context))
    const leaving = affected.filter((object) => mustLeave(object, context))
    // The node was drained, which repairs the fault; it stays the target of later injections.
    if (leaving.length === 0 && before !== undefined) return before
    return {
      node,
      // Pods of earlier injections are kept: they may have lost their label.
      pods: [...new Set([...toNames(before?.pods), ...leaving.map(({ metadata }) => metadata.name)])],
      services: [...new Set(leaving.flatMap((object) => serviceOf(object) ?? []))],
    }
  }
  const isGone = (snapshot: CauseSnapshot): Finding => {
    const node = String(snapshot.state.node)
    const affected = toNames(snapshot.state.pods)
    const remaining = snapshot.now
      .list('Pod')
      .filter((pod) => nodeOf(pod) === node && !isTerminating(pod) && !isFinishedPod(pod))
      .filter((pod) => affected.includes(pod.metadata.name) || mustLeave(pod, snapshot))
      .map(({ metadata }) => metadata.name)
    const isClosed = isClosedToPods(snapshot.now.get('Node', node))
    return {
      holds: isClosed && remaining.length === 0,
      evidence: `the node ${node} ${isClosed ? 'accepts no pods' : 'accepts pods'} and runs ${remaining.join(', ') || 'no affected pods'}`,
    }
  }
  const culprits: Fault['culprits'] = (faultCase) => {
    const { target, state } = faultCase
    const affectedServices =
      state === undefined
        ? podsOfAllServices(faultCase)
            .filter(({ pod }) => mustLeave(pod, faultCase))
            .map(({ service }) => service)
        : toNames(state.services)
    return [...new Set([target.service, ...affectedServices])]
  }
  return {
    binding: 'cause',
    inject,
    isGone,
    culprits,
    recover: (context: FaultContext): Promise<void> => removeChaosSet(context, toChaosSet(context)),
    scope: ({ target }: FaultCase) => ({ services: [target.service], nodes: true }),
    fix: declared.mustLeave === undefined ? toDrainPlaybook : toMovePlaybook,
    hacks: [...hacks, ...(declared.hacks ?? [])],
  } as const
}

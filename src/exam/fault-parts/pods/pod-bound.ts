/** Defines faults inside one pod: a chaos object injects them, and they end with the pod. */
import type { Fault, FaultContext, FaultState, Hack } from '#spec'
import {
  deleteWithoutFinalizers,
  killProgram,
  removePodLabel,
  restartCallersOrUpstreams,
} from '../hacks/pod-hacks.ts'
import { addReplica } from '../hacks/release-hacks.ts'
import { chaosObjectsOf, followPods, type PodChaosSet, removeChaosSet } from '../nodes/pod-chaos-set.ts'
import { deleteTask, toPlaybook } from '../playbook.ts'
import { type ChaosKind, injectChaos, onPod, removeChaos } from './chaos.ts'
import {
  containerIdOf,
  findInjectedPod,
  isChaosActive,
  isContainerRunning,
  isObjectActive,
  mainStatusOf,
  waitForReadyPod,
} from './injected-pod.ts'
import { hasPod } from './pods-of.ts'

export interface PodBound {
  /** The name of the fault; the chaos object is named after it and the service. */
  readonly name: string
  readonly kind: ChaosKind
  /** Whether the fault ends with the container, or only with the pod. */
  readonly lastsIn: 'container' | 'pod'
  /**
   * Whether the fault is injected again into restarted containers. For faults that last in the pod but act on processes:
   * otherwise, a failing liveness probe would repair them.
   */
  readonly follows?: boolean
  /** Describes the pod in the evidence: `in which the workers run`. */
  readonly evidenceClause: string
  /**
   * The grace period of the reference fix: one second for a pod that answers no requests. By default the grace period of the pod, in
   * which it closes its connections.
   */
  readonly graceSeconds?: number
  /** The spec of the chaos object, without the pod. */
  spec(context: FaultContext): object
  /** Checks whether the fault still has its effect while its object is active. */
  hasEffect?(context: FaultContext, pod: string): Promise<boolean>
}

type PodContext = Pick<FaultContext, 'target'>

const nameOf = ({ name }: PodBound, { target }: PodContext): string => `${name}-${target.service}`

/** The chaos objects for containers that the pod restarts. */
const toFollowUps = (bound: PodBound, context: FaultContext, uid: unknown): PodChaosSet => ({
  name: `${nameOf(bound, context)}-again`,
  kind: bound.kind,
  spec: bound.spec(context),
  isEligible: ({ metadata }) => metadata.uid === uid,
})

const removeAllChaos = async (bound: PodBound, context: FaultContext): Promise<void> => {
  // The anchor first: without it no further objects are created.
  await removeChaos(context, bound.kind, nameOf(bound, context))
  if (bound.follows === true) await removeChaosSet(context, toFollowUps(bound, context, undefined))
}

/** Whether the running container has been injected; false between two containers. */
const isInjectedNow = async (bound: PodBound, context: FaultContext, state: FaultState): Promise<boolean> => {
  const pod = await findInjectedPod(context, state)
  const status = pod === undefined ? undefined : mainStatusOf(pod)
  const startedAt = status?.state?.running?.startedAt
  if (startedAt === undefined) return false
  if (status?.containerID === state.container) return true
  return (await chaosObjectsOf(context, toFollowUps(bound, context, state.uid))).some(
    (object) => isObjectActive(object) && String(object.metadata.creationTimestamp) >= startedAt,
  )
}

const injectInto = async (
  bound: PodBound,
  context: FaultContext,
  earlier: FaultState | undefined,
): Promise<FaultState> => {
  // An active object cannot be changed, only replaced. If the pod was replaced, the fault is repaired.
  if (earlier !== undefined) await removeAllChaos(bound, context)
  const pod = earlier === undefined ? await waitForReadyPod(context) : await findInjectedPod(context, earlier)
  if (pod === undefined) return earlier!
  const follows = bound.follows === true
  const anchor = await injectChaos(context, {
    kind: bound.kind,
    name: nameOf(bound, context),
    spec: { ...onPod(context.system.namespace, pod.metadata.name), ...bound.spec(context) },
    // The solver may have changed the pod before a later injection, which is not a failure of the laboratory.
    hasNoTarget: async () => earlier !== undefined && !(await isContainerRunning(context, earlier)),
  })
  if (follows) {
    const selection = { fieldSelector: `metadata.name=${pod.metadata.name}` }
    const followUps = toFollowUps(bound, context, pod.metadata.uid)
    await followPods(context, selection, followUps, { anchor, containers: [containerIdOf(pod)] })
  }
  const injected = { pod: pod.metadata.name, uid: pod.metadata.uid, container: containerIdOf(pod) }
  return follows ? injected : (earlier ?? injected)
}

const probePod = async (bound: PodBound, context: FaultContext, state: FaultState): Promise<FaultState> => {
  const { kind, lastsIn, follows = false, hasEffect } = bound
  const pod = await findInjectedPod(context, state)
  if (pod === undefined) return { ended: 'is gone' }
  if (lastsIn === 'container' && !['', state.container].includes(containerIdOf(pod)))
    return { ended: 'has a new container' }
  const isActive = async (): Promise<boolean> =>
    (await isChaosActive(context, kind, nameOf(bound, context))) &&
    (!follows || (await isInjectedNow(bound, context, state)))
  if (hasEffect === undefined || !(await isActive()) || (await hasEffect(context, pod.metadata.name)))
    return {}
  // If the laboratory removed the fault in the meantime, or it ended with a container, the solver did not end it.
  return (await isActive()) ? { ended: 'is no longer affected' } : {}
}

/** Returns the injection, recovery, probe, judgement, reference fix and hacks of the fault. */
export const podBound = (bound: PodBound) => {
  const inject: Fault['inject'] = (context, earlier) => injectInto(bound, context, earlier)
  const probe: Fault['probe'] = (context, state) => probePod(bound, context, state)
  const isGone: Fault['isGone'] = ({ now, state, facts }) => {
    const ended = hasPod(now, state.uid) ? facts.ended : 'is gone'
    return {
      holds: ended !== undefined,
      evidence: `the pod ${state.pod}, ${bound.evidenceClause}, ${ended ?? 'still exists'}`,
    }
  }
  const fix: Fault['fix'] = ({ system, state }) =>
    toPlaybook('Replace the pod', [
      deleteTask(
        'Delete the pod; its workload creates a new one',
        { apiVersion: 'v1', kind: 'Pod', namespace: system.namespace, name: String(state.pod) },
        bound.graceSeconds,
      ),
    ])
  const hacks: readonly Hack[] = [
    ...[
      addReplica,
      removePodLabel,
      restartCallersOrUpstreams,
      deleteWithoutFinalizers(bound.kind, bound.name),
    ],
    // A restart of the container would be a correct fix of a fault that ends with it.
    ...(bound.lastsIn === 'pod' ? [killProgram] : []),
  ]
  return {
    binding: 'pod',
    inject,
    recover: (context: FaultContext): Promise<void> => removeAllChaos(bound, context),
    probe,
    isGone,
    fix,
    hacks,
  } as const
}

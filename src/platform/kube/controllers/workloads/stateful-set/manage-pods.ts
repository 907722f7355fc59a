/** One step of a StatefulSet: creates pods in order, and deletes or replaces them in reverse order. */
import type { StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodReady, isPodTerminal, pods } from '#platform/kube/kinds'
import { isNotFound, type Stored } from '#platform/kube/meta'
import type { ControllerContext } from '../../define-controller.ts'
import { messageOf } from '../../message-of.ts'
import { isPodAvailable, isTerminating } from '../replicas/pod-availability.ts'
import { type Revision, templateOf } from '../revisions/revision-history.ts'
import { ensureClaims, hasTerminatingClaim, updateClaimOwners } from './claims.ts'
import {
  buildPod,
  firstOrdinal,
  isInRange,
  ordinalOf,
  podName,
  replicasOf,
  revisionNameOf,
  withIdentity,
} from './identity.ts'

export interface RevisionState {
  set: Stored<StatefulSet>
  /** The revision before the update; pods below the partition keep it. */
  current: Revision
  /** The revision of the set's template. */
  update: Revision
}

export const isRunningAndReady = (pod: Stored<Pod>): boolean =>
  pod.status.phase === 'Running' && isPodReady(pod)
const isHealthy = (pod: Stored<Pod>): boolean => isRunningAndReady(pod) && !isTerminating(pod)

const VERBS = { create: 'Create', update: 'Update', delete: 'Delete' } as const

interface PodAction {
  set: Stored<StatefulSet>
  verb: keyof typeof VERBS
  name: string
}

/** Performs an action on a pod and records its success or failure as an event of the set. */
const withEvent = <T>({ events }: ControllerContext, { set, verb, name }: PodAction, act: () => T): T => {
  const action = `${verb} Pod ${name} in StatefulSet ${set.metadata.name}`
  const title = VERBS[verb]
  try {
    const result = act()
    events.record(set, 'Normal', `Successful${title}`, `${action} successful`)
    return result
  } catch (error) {
    if (!isNotFound(error))
      events.record(set, 'Warning', `Failed${title}`, `${action} failed error: ${messageOf(error)}`)
    throw error
  }
}

const removePod = (context: ControllerContext, set: Stored<StatefulSet>, pod: Stored<Pod>): void =>
  withEvent(context, { set, verb: 'delete', name: pod.metadata.name }, () =>
    context.client.delete(pods, pod.metadata.namespace ?? '', pod.metadata.name),
  )

const partitionOf = ({ spec }: Stored<StatefulSet>): number =>
  spec.updateStrategy?.rollingUpdate?.partition ?? 0

/**
 * Returns the revision for a new pod. Ordinals below the partition, or not yet reached by the update, use the
 * current revision.
 */
const revisionFor = ({ set, current, update }: RevisionState, ordinal: number): Revision => {
  if (set.spec.updateStrategy?.type === 'OnDelete') return update
  const currentCount =
    set.spec.updateStrategy?.rollingUpdate === undefined
      ? (set.status.currentReplicas ?? 0)
      : partitionOf(set)
  return ordinal < firstOrdinal(set) + currentCount ? current : update
}

const createPod = (context: ControllerContext, state: RevisionState, ordinal: number): void => {
  const { set } = state
  if (hasTerminatingClaim(context, set, ordinal)) return
  const revision = revisionFor(state, ordinal)
  withEvent(context, { set, verb: 'create', name: podName(set, ordinal) }, () => {
    ensureClaims(context, set, ordinal)
    const pod = context.client.create(
      pods,
      buildPod(set, templateOf(revision), revision.metadata.name, ordinal),
    )
    updateClaimOwners(context, set, pod, ordinal)
  })
}

const recreate = (context: ControllerContext, set: Stored<StatefulSet>, pod: Stored<Pod>): void => {
  const { namespace, name } = set.metadata
  const [type, reason, state] =
    pod.status.phase === 'Failed'
      ? (['Warning', 'RecreatingFailedPod', 'failed'] as const)
      : (['Normal', 'RecreatingTerminatedPod', 'terminated'] as const)
  if (isTerminating(pod)) return
  context.events.record(
    set,
    type,
    reason,
    `StatefulSet ${namespace}/${name} is recreating ${state} Pod ${pod.metadata.name}`,
  )
  removePod(context, set, pod)
}

/** Reconciles the pod of one ordinal; returns whether later ordinals must wait for it. */
const syncPod = (
  context: ControllerContext,
  state: RevisionState,
  pod: Stored<Pod> | undefined,
  ordinal: number,
): boolean => {
  const { set } = state
  const ordered = set.spec.podManagementPolicy !== 'Parallel'
  if (pod === undefined) {
    createPod(context, state, ordinal)
    return ordered
  }
  if (isPodTerminal(pod)) {
    recreate(context, set, pod)
    return true
  }
  if (pod.status.phase === 'Pending') ensureClaims(context, set, ordinal)
  const available = isHealthy(pod) && isPodAvailable(pod, set.spec.minReadySeconds ?? 0, context.clock.now())
  if (ordered && !available) return true
  updateClaimOwners(context, set, pod, ordinal)
  const repaired = isTerminating(pod) ? undefined : withIdentity(set, pod, ordinal)
  if (repaired !== undefined)
    withEvent(context, { set, verb: 'update', name: pod.metadata.name }, () =>
      context.client.update(pods, repaired),
    )
  return false
}

/**
 * Deletes pods out of range, highest ordinal first. With ordered management an unavailable pod blocks the rest, unless it is
 * the first unhealthy one. Returns whether the reconcile must stop here.
 */
const removeCondemned = (
  context: ControllerContext,
  set: Stored<StatefulSet>,
  condemned: readonly Stored<Pod>[],
  firstUnhealthy: Stored<Pod> | undefined,
): boolean => {
  const ordered = set.spec.podManagementPolicy !== 'Parallel'
  for (const pod of condemned) updateClaimOwners(context, set, pod, ordinalOf(set, pod)!)
  for (const pod of condemned) {
    if (isTerminating(pod)) {
      if (ordered) return true
      continue
    }
    const available =
      isRunningAndReady(pod) && isPodAvailable(pod, set.spec.minReadySeconds ?? 0, context.clock.now())
    if (ordered && !available && pod !== firstUnhealthy) return true
    removePod(context, set, pod)
    if (ordered) return true
  }
  return false
}

/** Deletes the last pod of another revision, once every updated pod after it is healthy. */
const replaceNext = (
  context: ControllerContext,
  { set, update }: RevisionState,
  replicas: readonly (Stored<Pod> | undefined)[],
): void => {
  for (let index = replicas.length - 1; index >= partitionOf(set); index -= 1) {
    const pod = replicas[index]
    if (pod === undefined) return
    if (revisionNameOf(pod) !== update.metadata.name && !isTerminating(pod)) {
      removePod(context, set, pod)
      return
    }
    if (!isHealthy(pod)) return
  }
}

export const managePods = (
  context: ControllerContext,
  state: RevisionState,
  owned: readonly Stored<Pod>[],
): void => {
  const { set } = state
  const replicas: (Stored<Pod> | undefined)[] = new Array(replicasOf(set)).fill(undefined)
  const condemned: Stored<Pod>[] = []
  for (const pod of owned) {
    const ordinal = ordinalOf(set, pod)!
    if (isInRange(set, ordinal)) replicas[ordinal - firstOrdinal(set)] = pod
    else condemned.push(pod)
  }
  condemned.sort((a, b) => ordinalOf(set, b)! - ordinalOf(set, a)!)
  // A missing replica counts as the first unhealthy pod; then no condemned pod is deleted early.
  const hasUnhealthy = replicas.some((pod) => pod === undefined || !isHealthy(pod))
  const firstUnhealthy = hasUnhealthy ? undefined : condemned.find((pod) => !isHealthy(pod))

  for (const [index, pod] of replicas.entries()) {
    if (syncPod(context, state, pod, firstOrdinal(set) + index)) return
  }
  if (removeCondemned(context, set, condemned, firstUnhealthy)) return
  if (set.spec.updateStrategy?.type !== 'OnDelete') replaceNext(context, state, replicas)
}

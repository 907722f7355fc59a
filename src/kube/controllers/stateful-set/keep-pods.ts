/** One step towards the pods a StatefulSet wants: made in order, removed in reverse, replaced from the last. */
import type { StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodReady, isPodTerminal, pods } from '../../kinds/index.ts'
import { isNotFound, type Stored } from '../../meta/index.ts'
import type { ControllerContext } from '../define-controller.ts'
import { messageOf } from '../message-of.ts'
import { isPodAvailable, isTerminating } from '../workload/pod-availability.ts'
import { type Revision, templateOf } from '../workload/revision-history.ts'
import { claimsAreStale, ensureClaims, settleClaimOwners } from './claims.ts'
import {
  firstOrdinal,
  isInRange,
  ordinalOf,
  podName,
  podOf,
  replicasOf,
  revisionNameOf,
  withIdentity,
} from './identity.ts'

export interface Generation {
  set: Stored<StatefulSet>
  /** What pods below the partition are made from. */
  current: Revision
  /** What all others are made from. */
  update: Revision
}

export const isRunningAndReady = (pod: Stored<Pod>): boolean =>
  pod.status.phase === 'Running' && isPodReady(pod)
const isHealthy = (pod: Stored<Pod>): boolean => isRunningAndReady(pod) && !isTerminating(pod)

/** Records what was done to a pod, or why it could not be done. */
const told = <T>(
  { events }: ControllerContext,
  set: Stored<StatefulSet>,
  verb: string,
  name: string,
  act: () => T,
): T => {
  const what = `${verb} Pod ${name} in StatefulSet ${set.metadata.name}`
  const title = verb[0]!.toUpperCase() + verb.slice(1)
  try {
    const result = act()
    events.record(set, 'Normal', `Successful${title}`, `${what} successful`)
    return result
  } catch (error) {
    if (!isNotFound(error))
      events.record(set, 'Warning', `Failed${title}`, `${what} failed error: ${messageOf(error)}`)
    throw error
  }
}

const removePod = (context: ControllerContext, set: Stored<StatefulSet>, pod: Stored<Pod>): void =>
  told(context, set, 'delete', pod.metadata.name, () =>
    context.client.delete(pods, pod.metadata.namespace ?? '', pod.metadata.name),
  )

const partitionOf = ({ spec }: Stored<StatefulSet>): number =>
  spec.updateStrategy?.rollingUpdate?.partition ?? 0

/** Below the partition a lost pod comes back as it was; with no partition, those not yet updated do. */
const madeFrom = ({ set, current, update }: Generation, ordinal: number): Revision => {
  if (set.spec.updateStrategy?.type === 'OnDelete') return update
  const kept =
    set.spec.updateStrategy?.rollingUpdate === undefined
      ? (set.status.currentReplicas ?? 0)
      : partitionOf(set)
  return ordinal < firstOrdinal(set) + kept ? current : update
}

const createPod = (context: ControllerContext, generation: Generation, ordinal: number): void => {
  const { set } = generation
  if (claimsAreStale(context, set, ordinal)) return
  const revision = madeFrom(generation, ordinal)
  told(context, set, 'create', podName(set, ordinal), () => {
    ensureClaims(context, set, ordinal)
    const pod = context.client.create(pods, podOf(set, templateOf(revision), revision.metadata.name, ordinal))
    settleClaimOwners(context, set, pod, ordinal)
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

/** Sees to the pod of one ordinal; tells whether later ones must wait for it. */
const keepPod = (
  context: ControllerContext,
  generation: Generation,
  pod: Stored<Pod> | undefined,
  ordinal: number,
): boolean => {
  const { set } = generation
  const ordered = set.spec.podManagementPolicy !== 'Parallel'
  if (pod === undefined) {
    createPod(context, generation, ordinal)
    return ordered
  }
  if (isPodTerminal(pod)) {
    recreate(context, set, pod)
    return true
  }
  if (pod.status.phase === 'Pending') ensureClaims(context, set, ordinal)
  const available = isHealthy(pod) && isPodAvailable(pod, set.spec.minReadySeconds ?? 0, context.clock.now())
  if (ordered && !available) return true
  settleClaimOwners(context, set, pod, ordinal)
  const repaired = isTerminating(pod) ? undefined : withIdentity(set, pod, ordinal)
  if (repaired !== undefined)
    told(context, set, 'update', pod.metadata.name, () => context.client.update(pods, repaired))
  return false
}

/** Removes the pods beyond the range, the highest ordinal first; only the first unhealthy one may go before its time. */
const condemn = (
  context: ControllerContext,
  set: Stored<StatefulSet>,
  condemned: readonly Stored<Pod>[],
  firstUnhealthy: Stored<Pod> | undefined,
): boolean => {
  const ordered = set.spec.podManagementPolicy !== 'Parallel'
  for (const pod of condemned) settleClaimOwners(context, set, pod, ordinalOf(set, pod)!)
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

/** Replaces the last pod of another revision, and waits for each replaced one to be healthy. */
const replaceNext = (
  context: ControllerContext,
  { set, update }: Generation,
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

export const keepPods = (
  context: ControllerContext,
  generation: Generation,
  owned: readonly Stored<Pod>[],
): void => {
  const { set } = generation
  const replicas: (Stored<Pod> | undefined)[] = new Array(replicasOf(set)).fill(undefined)
  const condemned: Stored<Pod>[] = []
  for (const pod of owned) {
    const ordinal = ordinalOf(set, pod)!
    if (isInRange(set, ordinal)) replicas[ordinal - firstOrdinal(set)] = pod
    else condemned.push(pod)
  }
  condemned.sort((a, b) => ordinalOf(set, b)! - ordinalOf(set, a)!)
  // A missing replica counts as the first unhealthy one, and then no condemned pod may go early.
  const missing = replicas.some((pod) => pod === undefined || !isHealthy(pod))
  const firstUnhealthy = missing ? undefined : condemned.find((pod) => !isHealthy(pod))

  for (const [index, pod] of replicas.entries()) {
    if (keepPod(context, generation, pod, firstOrdinal(set) + index)) return
  }
  if (condemn(context, set, condemned, firstUnhealthy)) return
  if (set.spec.updateStrategy?.type !== 'OnDelete') replaceNext(context, generation, replicas)
}

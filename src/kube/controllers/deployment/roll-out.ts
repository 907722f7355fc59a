/** The two ways from the old ReplicaSets to the new one. */
import { isPodTerminal, pods, replicaSets } from '../../kinds/index.ts'
import { isTerminating } from '../workload/pod-availability.ts'
import { revisionOf } from './annotations.ts'
import { isComplete } from './conditions.ts'
import { newSetSize, syncNewSet } from './new-replica-set.ts'
import {
  allSets,
  availableIn,
  byAge,
  desiredReplicas,
  limitsOf,
  type Rollout,
  sizeOf,
  total,
} from './rollout.ts'
import { scaleSet } from './scale-sets.ts'

const growNewSet = (rollout: Rollout): boolean => {
  const { deployment, newSet } = rollout
  const desired = desiredReplicas(deployment)
  if (newSet === undefined || sizeOf(newSet) === desired) return false
  return scaleSet(rollout, newSet, sizeOf(newSet) > desired ? desired : newSetSize(rollout))
}

/** Pods that never became available serve nobody: they may go first. */
const dropUnhealthy = (rollout: Rollout, limit: number): number => {
  let dropped = 0
  for (const set of [...rollout.oldSets].sort(byAge)) {
    if (dropped >= limit) break
    const count = Math.min(limit - dropped, sizeOf(set) - availableIn(set))
    if (sizeOf(set) === 0 || count <= 0) continue
    scaleSet(rollout, set, sizeOf(set) - count)
    dropped += count
  }
  return dropped
}

/** Takes as many available pods from the old ReplicaSets as the minimum allows. */
const shrinkOldSets = (rollout: Rollout): number => {
  const { deployment } = rollout
  const spare =
    total(allSets(rollout), availableIn) - (desiredReplicas(deployment) - limitsOf(deployment).unavailable)
  let taken = 0
  for (const set of [...rollout.oldSets].sort(byAge)) {
    if (taken >= spare) break
    const count = Math.min(sizeOf(set), spare - taken)
    if (count === 0) continue
    scaleSet(rollout, set, sizeOf(set) - count)
    taken += count
  }
  return taken
}

const retireOldSets = (rollout: Rollout): boolean => {
  const { deployment, newSet, oldSets } = rollout
  if (total(oldSets, sizeOf) === 0) return false
  const minimum = desiredReplicas(deployment) - limitsOf(deployment).unavailable
  const notYetAvailable = newSet === undefined ? 0 : sizeOf(newSet) - availableIn(newSet)
  const limit = total(allSets(rollout), sizeOf) - minimum - notYetAvailable
  if (limit <= 0) return false
  const dropped = dropUnhealthy(rollout, limit)
  return dropped + shrinkOldSets(rollout) > 0
}

/** Grows the new ReplicaSet and shrinks the old ones, one step at a time, within surge and unavailability. */
export const rollOutGradually = (rollout: Rollout): void => {
  syncNewSet(rollout, true)
  if (growNewSet(rollout) || retireOldSets(rollout)) return
  if (isComplete(rollout.deployment, rollout.deployment.status)) trimHistory(rollout)
}

const oldPodsRemain = ({ context, oldSets }: Rollout): boolean =>
  oldSets.some(
    ({ metadata, status }) =>
      status.replicas > 0 || context.client.ownedBy(pods, metadata.uid).some((pod) => !isPodTerminal(pod)),
  )

/** Ends every old pod before the first new one is made. */
export const rollOutByRecreation = (rollout: Rollout): void => {
  syncNewSet(rollout, false)
  const living = rollout.oldSets.filter((set) => sizeOf(set) > 0)
  for (const set of living) scaleSet(rollout, set, 0)
  if (living.length > 0 || oldPodsRemain(rollout)) return
  syncNewSet(rollout, true)
  if (rollout.newSet !== undefined && sizeOf(rollout.newSet) !== desiredReplicas(rollout.deployment)) {
    scaleSet(rollout, rollout.newSet, desiredReplicas(rollout.deployment))
  }
  if (isComplete(rollout.deployment, rollout.deployment.status)) trimHistory(rollout)
}

/** Removes the oldest empty ReplicaSets beyond the history limit. */
export const trimHistory = ({ context, deployment, oldSets }: Rollout): void => {
  const limit = deployment.spec.revisionHistoryLimit ?? 10
  const past = oldSets
    .filter((set) => !isTerminating(set))
    .sort((a, b) => revisionOf(a) - revisionOf(b) || byAge(a, b))
  for (const set of past.slice(0, Math.max(0, past.length - limit))) {
    const unseen = (set.metadata.generation ?? 0) > (set.status.observedGeneration ?? 0)
    if (set.status.replicas !== 0 || sizeOf(set) !== 0 || unseen) continue
    context.client.delete(replicaSets, set.metadata.namespace ?? '', set.metadata.name, {
      propagation: 'Background',
    })
  }
}

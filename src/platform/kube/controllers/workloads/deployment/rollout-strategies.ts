/** The two rollout strategies, RollingUpdate and Recreate. */
import { isPodTerminal, pods, replicaSets } from '#platform/kube/kinds'
import { isTerminating } from '../replicas/pod-availability.ts'
import { revisionOf } from './annotations.ts'
import { isComplete } from './conditions.ts'
import { newSetSize, syncNewSet } from './new-replica-set.ts'
import { allSets, availableIn, byAge, desiredReplicas, type Rollout, sizeOf, total } from './rollout.ts'
import { limitsOf } from './rollout-limits.ts'
import { scaleSet } from './scale-sets.ts'

const growNewSet = (rollout: Rollout): boolean => {
  const { deployment, newSet } = rollout
  const desired = desiredReplicas(deployment)
  if (newSet === undefined || sizeOf(newSet) === desired) return false
  return scaleSet(rollout, newSet, sizeOf(newSet) > desired ? desired : newSetSize(rollout))
}

/** Removes unavailable old pods, at most `limit`. They come first because they serve no traffic. */
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

/** Scales down as many available pods of the old ReplicaSets as the minimum availability allows. */
const shrinkOldSets = (rollout: Rollout): number => {
  const { deployment } = rollout
  const maxRemoved =
    total(allSets(rollout), availableIn) - (desiredReplicas(deployment) - limitsOf(deployment).unavailable)
  let removed = 0
  for (const set of [...rollout.oldSets].sort(byAge)) {
    if (removed >= maxRemoved) break
    const count = Math.min(sizeOf(set), maxRemoved - removed)
    if (count === 0) continue
    scaleSet(rollout, set, sizeOf(set) - count)
    removed += count
  }
  return removed
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

/** Scales the new ReplicaSet up and the old ones down, one step at a time, within maxSurge and maxUnavailable. */
export const applyRollingUpdate = (rollout: Rollout): void => {
  syncNewSet(rollout, true)
  if (growNewSet(rollout) || retireOldSets(rollout)) return
  if (isComplete(rollout.deployment, rollout.deployment.status)) trimHistory(rollout)
}

const hasOldPods = ({ context, oldSets }: Rollout): boolean =>
  oldSets.some(
    ({ metadata, status }) =>
      status.replicas > 0 || context.client.ownedBy(pods, metadata.uid).some((pod) => !isPodTerminal(pod)),
  )

/** Deletes every old pod before it creates the first new one. */
export const applyRecreate = (rollout: Rollout): void => {
  syncNewSet(rollout, false)
  const scaledUp = rollout.oldSets.filter((set) => sizeOf(set) > 0)
  for (const set of scaledUp) scaleSet(rollout, set, 0)
  if (scaledUp.length > 0 || hasOldPods(rollout)) return
  syncNewSet(rollout, true)
  if (rollout.newSet !== undefined && sizeOf(rollout.newSet) !== desiredReplicas(rollout.deployment)) {
    scaleSet(rollout, rollout.newSet, desiredReplicas(rollout.deployment))
  }
  if (isComplete(rollout.deployment, rollout.deployment.status)) trimHistory(rollout)
}

/** Deletes the oldest empty ReplicaSets beyond the history limit. */
export const trimHistory = ({ context, deployment, oldSets }: Rollout): void => {
  const limit = deployment.spec.revisionHistoryLimit ?? 10
  const candidates = oldSets
    .filter((set) => !isTerminating(set))
    .sort((a, b) => revisionOf(a) - revisionOf(b) || byAge(a, b))
  for (const set of candidates.slice(0, Math.max(0, candidates.length - limit))) {
    const isUnobserved = (set.metadata.generation ?? 0) > (set.status.observedGeneration ?? 0)
    if (set.status.replicas !== 0 || sizeOf(set) !== 0 || isUnobserved) continue
    context.client.delete(replicaSets, set.metadata.namespace ?? '', set.metadata.name, {
      propagation: 'Background',
    })
  }
}

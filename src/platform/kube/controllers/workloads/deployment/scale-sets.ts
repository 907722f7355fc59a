/** Scales the ReplicaSets of a Deployment, proportionally if a rollout is in progress. */
import type { ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import { replicaSets } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { DESIRED_REPLICAS, MAX_REPLICAS, numberAnnotation, replicaAnnotations } from './annotations.ts'
import {
  allSets,
  availableIn,
  byAge,
  desiredReplicas,
  isRolling,
  type Rollout,
  replaceSet,
  sizeOf,
  total,
} from './rollout.ts'
import { limitsOf } from './rollout-limits.ts'

/** Scales one ReplicaSet, updates its annotations and records an event. Returns whether the size changed. */
export const scaleSet = (rollout: Rollout, set: Stored<ReplicaSet>, replicas: number): boolean => {
  const { deployment, context } = rollout
  const annotations = replicaAnnotations(deployment)
  const before = sizeOf(set)
  const isAnnotated = Object.entries(annotations).every(
    ([key, value]) => set.metadata.annotations?.[key] === value,
  )
  if (before === replicas && isAnnotated) return false
  const scaled = context.client.update(replicaSets, {
    ...set,
    metadata: { ...set.metadata, annotations: { ...set.metadata.annotations, ...annotations } },
    spec: { ...set.spec, replicas },
  })
  replaceSet(rollout, scaled)
  if (before === replicas) return false
  const message = `Scaled ${replicas > before ? 'up' : 'down'} replica set ${set.metadata.name} from ${before} to ${replicas}`
  context.events.record(deployment, 'Normal', 'ScalingReplicaSet', message)
  return true
}

const selectActive = (sets: readonly Stored<ReplicaSet>[]): Stored<ReplicaSet>[] =>
  sets.filter((set) => sizeOf(set) > 0)

/** Reports whether `spec.replicas` changed since the ReplicaSets were last scaled. */
export const isScalingEvent = (rollout: Rollout): boolean =>
  selectActive(allSets(rollout)).some((set) => {
    const scaledFor = numberAnnotation(set, DESIRED_REPLICAS)
    return scaledFor !== undefined && scaledFor !== desiredReplicas(rollout.deployment)
  })

/** Returns the only ReplicaSet with replicas, or the latest if none has any. */
const onlySet = ({ newSet, oldSets }: Rollout): Stored<ReplicaSet> | undefined => {
  const sets = newSet === undefined ? oldSets : [...oldSets, newSet]
  const activeSets = selectActive(sets)
  if (activeSets.length === 1) return activeSets[0]
  return activeSets.length === 0 ? (newSet ?? [...oldSets].sort(byAge).at(-1)) : undefined
}

const isSaturated = ({ deployment, newSet }: Rollout): boolean => {
  const desired = desiredReplicas(deployment)
  return (
    newSet !== undefined &&
    numberAnnotation(newSet, DESIRED_REPLICAS) === desired &&
    sizeOf(newSet) === desired &&
    availableIn(newSet) === desired
  )
}

/** Returns the change of a ReplicaSet's size that keeps its share of the total. */
const proportionalChange = ({ deployment }: Rollout, set: Stored<ReplicaSet>): number => {
  const desired = desiredReplicas(deployment)
  if (desired === 0) return -sizeOf(set)
  const before = numberAnnotation(set, MAX_REPLICAS) || (deployment.status.replicas ?? 0)
  if (before === 0) return 0
  return Math.round((sizeOf(set) * (desired + limitsOf(deployment).surge)) / before) - sizeOf(set)
}

/** Distributes the change over the ReplicaSets by size; the largest one takes the rounding remainder. */
const scaleInProportion = (rollout: Rollout): void => {
  const { deployment } = rollout
  const desired = desiredReplicas(deployment)
  const sets = selectActive(allSets(rollout))
  const change = (desired > 0 ? desired + limitsOf(deployment).surge : 0) - total(sets, sizeOf)
  sets.sort((a, b) => sizeOf(b) - sizeOf(a) || (change > 0 ? byAge(b, a) : byAge(a, b)))

  let distributed = 0
  const sizes = sets.map((set) => {
    const rest = change - distributed
    const fraction = change === 0 || rest === 0 ? 0 : proportionalChange(rollout, set)
    const share = change > 0 ? Math.min(fraction, rest) : Math.max(fraction, rest)
    distributed += share
    return sizeOf(set) + share
  })
  for (const [index, set] of sets.entries()) {
    const leftOver = index === 0 ? change - distributed : 0
    scaleSet(rollout, set, Math.max(0, sizes[index]! + leftOver))
  }
}

/** Applies a change of `spec.replicas` without advancing the rollout. */
export const scaleSets = (rollout: Rollout): void => {
  const desired = desiredReplicas(rollout.deployment)
  const only = onlySet(rollout)
  if (only !== undefined) {
    if (sizeOf(only) !== desired) scaleSet(rollout, only, desired)
  } else if (isSaturated(rollout)) {
    for (const set of selectActive(rollout.oldSets)) scaleSet(rollout, set, 0)
  } else if (isRolling(rollout.deployment)) {
    scaleInProportion(rollout)
  }
}

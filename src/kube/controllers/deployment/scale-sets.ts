/** Scaling of a Deployment's ReplicaSets, alone or in proportion when a rollout is under way. */
import type { ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import { replicaSets } from '../../kinds/index.ts'
import type { Stored } from '../../meta/index.ts'
import { DESIRED_REPLICAS, MAX_REPLICAS, numberNote, replicaNotes } from './annotations.ts'
import {
  allSets,
  availableIn,
  byAge,
  desiredReplicas,
  isRolling,
  limitsOf,
  type Rollout,
  replaceSet,
  sizeOf,
  total,
} from './rollout.ts'

/** Sets the size of one ReplicaSet, with the notes and the event; tells whether the size changed. */
export const scaleSet = (rollout: Rollout, set: Stored<ReplicaSet>, replicas: number): boolean => {
  const { deployment, context } = rollout
  const notes = replicaNotes(deployment)
  const before = sizeOf(set)
  const noted = Object.entries(notes).every(([key, value]) => set.metadata.annotations?.[key] === value)
  if (before === replicas && noted) return false
  const scaled = context.client.update(replicaSets, {
    ...set,
    metadata: { ...set.metadata, annotations: { ...set.metadata.annotations, ...notes } },
    spec: { ...set.spec, replicas },
  })
  replaceSet(rollout, scaled)
  if (before === replicas) return false
  const message = `Scaled ${replicas > before ? 'up' : 'down'} replica set ${set.metadata.name} from ${before} to ${replicas}`
  context.events.record(deployment, 'Normal', 'ScalingReplicaSet', message)
  return true
}

const active = (sets: readonly Stored<ReplicaSet>[]): Stored<ReplicaSet>[] =>
  sets.filter((set) => sizeOf(set) > 0)

/** Whether the number of replicas was changed since the ReplicaSets were last scaled. */
export const isScalingEvent = (rollout: Rollout): boolean =>
  active(allSets(rollout)).some((set) => {
    const noted = numberNote(set, DESIRED_REPLICAS)
    return noted !== undefined && noted !== desiredReplicas(rollout.deployment)
  })

/** The one ReplicaSet that has pods, or the latest where none has any. */
const onlySet = ({ newSet, oldSets }: Rollout): Stored<ReplicaSet> | undefined => {
  const sets = newSet === undefined ? oldSets : [...oldSets, newSet]
  const living = active(sets)
  if (living.length === 1) return living[0]
  return living.length === 0 ? (newSet ?? [...oldSets].sort(byAge).at(-1)) : undefined
}

const isSaturated = ({ deployment, newSet }: Rollout): boolean => {
  const desired = desiredReplicas(deployment)
  return (
    newSet !== undefined &&
    numberNote(newSet, DESIRED_REPLICAS) === desired &&
    sizeOf(newSet) === desired &&
    availableIn(newSet) === desired
  )
}

/** By how much a ReplicaSet's size changes when the whole grows or shrinks and shares stay the same. */
const fractionOf = ({ deployment }: Rollout, set: Stored<ReplicaSet>): number => {
  const desired = desiredReplicas(deployment)
  if (desired === 0) return -sizeOf(set)
  const before = numberNote(set, MAX_REPLICAS) || (deployment.status.replicas ?? 0)
  if (before === 0) return 0
  return Math.round((sizeOf(set) * (desired + limitsOf(deployment).surge)) / before) - sizeOf(set)
}

/** Spreads the change over the ReplicaSets by size; what rounding leaves goes to the biggest. */
const scaleInProportion = (rollout: Rollout): void => {
  const { deployment } = rollout
  const desired = desiredReplicas(deployment)
  const sets = active(allSets(rollout))
  const change = (desired > 0 ? desired + limitsOf(deployment).surge : 0) - total(sets, sizeOf)
  sets.sort((a, b) => sizeOf(b) - sizeOf(a) || (change > 0 ? byAge(b, a) : byAge(a, b)))

  let spread = 0
  const sizes = sets.map((set) => {
    const rest = change - spread
    const fraction = change === 0 || rest === 0 ? 0 : fractionOf(rollout, set)
    const share = change > 0 ? Math.min(fraction, rest) : Math.max(fraction, rest)
    spread += share
    return sizeOf(set) + share
  })
  for (const [index, set] of sets.entries()) {
    const leftOver = index === 0 ? change - spread : 0
    scaleSet(rollout, set, Math.max(0, sizes[index]! + leftOver))
  }
}

/** Follows a change of the number of replicas without touching the rollout itself. */
export const scaleSets = (rollout: Rollout): void => {
  const desired = desiredReplicas(rollout.deployment)
  const only = onlySet(rollout)
  if (only !== undefined) {
    if (sizeOf(only) !== desired) scaleSet(rollout, only, desired)
  } else if (isSaturated(rollout)) {
    for (const set of active(rollout.oldSets)) scaleSet(rollout, set, 0)
  } else if (isRolling(rollout.deployment)) {
    scaleInProportion(rollout)
  }
}

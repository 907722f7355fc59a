/** A Deployment with its new and old ReplicaSets during one reconcile, and its replica counts and limits. */
import type { Deployment, ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import type { ControllerContext } from '../../define-controller.ts'
import { scaledValue } from '../replicas/scaled-value.ts'

export interface Rollout {
  readonly context: ControllerContext
  /** May hold status changes that are stored only at the end of the reconcile. */
  deployment: Stored<Deployment>
  newSet: Stored<ReplicaSet> | undefined
  oldSets: readonly Stored<ReplicaSet>[]
}

export const desiredReplicas = ({ spec }: Stored<Deployment>): number => spec.replicas ?? 1
export const sizeOf = ({ spec }: Stored<ReplicaSet>): number => spec.replicas ?? 0
export const availableIn = ({ status }: Stored<ReplicaSet>): number => status.availableReplicas ?? 0

export const total = (
  sets: readonly Stored<ReplicaSet>[],
  count: (set: Stored<ReplicaSet>) => number,
): number => sets.reduce((sum, set) => sum + count(set), 0)

export const allSets = ({ newSet, oldSets }: Rollout): readonly Stored<ReplicaSet>[] =>
  newSet === undefined ? oldSets : [...oldSets, newSet]

export const isRolling = ({ spec }: Stored<Deployment>): boolean => spec.strategy?.type !== 'Recreate'

/** Resolves maxSurge and maxUnavailable to numbers of pods. */
export const limitsOf = (deployment: Stored<Deployment>): { surge: number; unavailable: number } => {
  if (!isRolling(deployment)) return { surge: 0, unavailable: 0 }
  const desired = desiredReplicas(deployment)
  const { maxSurge, maxUnavailable } = deployment.spec.strategy?.rollingUpdate ?? {}
  const surge = scaledValue(maxSurge, desired, 'up')
  const unavailable = scaledValue(maxUnavailable, desired, 'down')
  // Percentages of small numbers may both round to zero, which would block the rollout.
  return { surge, unavailable: Math.min(desired, surge === 0 && unavailable === 0 ? 1 : unavailable) }
}

export const byAge = (a: Stored<ReplicaSet>, b: Stored<ReplicaSet>): number =>
  a.metadata.creationTimestamp === b.metadata.creationTimestamp
    ? a.metadata.name < b.metadata.name
      ? -1
      : 1
    : a.metadata.creationTimestamp < b.metadata.creationTimestamp
      ? -1
      : 1

/** Stores the updated ReplicaSet in the rollout. */
export const replaceSet = (rollout: Rollout, set: Stored<ReplicaSet>): void => {
  if (rollout.newSet?.metadata.uid === set.metadata.uid) rollout.newSet = set
  else rollout.oldSets = rollout.oldSets.map((old) => (old.metadata.uid === set.metadata.uid ? set : old))
}

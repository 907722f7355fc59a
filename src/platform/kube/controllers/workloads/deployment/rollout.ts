/** A Deployment with its new and old ReplicaSets during one reconcile, and its replica counts. */
import type { Deployment, ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import type { ControllerContext } from '../../define-controller.ts'

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

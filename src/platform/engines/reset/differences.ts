/** The differences between a cluster and its baseline. */
import type { KubeObject } from '#platform/kube/simulated'
import type { BaselineObject } from './baseline.ts'

export interface ChangedObject {
  readonly baseline: BaselineObject
  readonly current: KubeObject
}

/** A changed Deployment whose baseline pods all still run, under the ReplicaSet `kept`. */
export interface RevertibleDeployment extends ChangedObject {
  readonly kept: KubeObject
}

export interface ObjectDifferences {
  /** Objects that must be deleted and recreated. */
  readonly replaced: readonly ChangedObject[]
  /** Deployments that can be reverted without restarting pods. */
  readonly revertible: readonly RevertibleDeployment[]
  readonly missing: readonly BaselineObject[]
  /** Objects that can be updated in place. */
  readonly changed: readonly ChangedObject[]
}

export interface Differences extends ObjectDifferences {
  /** Objects created after the baseline, except those in new namespaces, which are deleted as a whole. */
  readonly extra: readonly BaselineObject[]
  /** Dirty pods whose owners remain. */
  readonly pods: readonly KubeObject[]
}

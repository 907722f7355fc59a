/** The dependencies that all parts of one kubelet share. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Random } from '#kit'
import type { Stored } from '#platform/kube/meta'
import type { Client, ContainerRuntime, EventRecorder } from '#platform/kube/ports'
import type { StorageAllowance } from './volumes/storage-limits.ts'
import type { VolumeSources } from './volumes/volume-sources.ts'

/** Issues the token of a pod's service-account volume. */
export type IssueToken = (pod: Stored<Pod>, audience: string | undefined, expirationSeconds: number) => string

export interface KubeletContext {
  readonly nodeName: string
  readonly hostIP: string
  readonly allocatable: Readonly<Record<string, string>>
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly events: EventRecorder
  readonly runtime: ContainerRuntime
  /** Returns the same token for a pod until it must be renewed. */
  readonly issueToken: IssueToken
  readonly volumeSources: VolumeSources
  /** The interval at which the disk usage of pods with limits is measured. */
  readonly diskCheckMs: number
  /** Limits the storage of every pod, in addition to the pod's own limits. */
  readonly storageAllowance: StorageAllowance | undefined
  /** The environment variables of the API server's Service and, if `enabled`, of the namespace's Services. */
  serviceLinks(namespace: string, enabled: boolean): Readonly<Record<string, string>>
  /** False while the kubelet simulates a lost node, and after it is stopped: it neither syncs nor reports. */
  isAlive(): boolean
  /** Called for an internal error; the kubelet continues. */
  onError(source: string, error: unknown): void
  /** Queues the pod's status to be written at the end of this turn. */
  statusChanged(uid: string): void
  /** Drops the data of a pod that no longer exists. */
  podForgotten(uid: string): void
}

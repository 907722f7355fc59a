/** What every part of one kubelet works with. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Random } from '../../kit/index.ts'
import type { Stored } from '../meta/index.ts'
import type { Client, ContainerRuntime, EventRecorder } from '../ports/index.ts'
import type { StorageAllowance } from './storage-limits.ts'
import type { VolumeSources } from './volume-sources.ts'

/** Makes the token that a pod's service-account volume shows. */
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
  /** Gives a pod the same token until that must be renewed. */
  readonly issueToken: IssueToken
  readonly volumeSources: VolumeSources
  /** How often the disk usage of pods with limits is measured. */
  readonly diskCheckMs: number
  /** To what pods without limits are held. */
  readonly storageAllowance: StorageAllowance | undefined
  /** Environment of the Services that a pod of this namespace may see. */
  serviceLinks(namespace: string, enabled: boolean): Readonly<Record<string, string>>
  /** False while the kubelet is made to be dead: then nothing is synced or reported. */
  isAlive(): boolean
  /** Told of what went wrong inside the kubelet, which goes on. */
  onError(where: string, error: unknown): void
  /** Asks for the pod's status to be written at the end of this turn. */
  statusChanged(uid: string): void
  /** Nothing is left of the pod, and nothing more is to be said of it. */
  podForgotten(uid: string): void
}

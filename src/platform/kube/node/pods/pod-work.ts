/** The state of one pod, shared by the steps that start, watch and stop its containers. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import type { Sandbox } from '#platform/kube/ports'
import type { BackOff } from '../containers/back-off.ts'
import type { ContainerRecord } from '../containers/container-record.ts'
import type { PodLocation } from '../containers/field-reference.ts'
import type { ImagePuller } from '../containers/image-puller.ts'
import type { KubeletContext } from '../kubelet-context.ts'
import type { PodEnding } from './pod-status.ts'

/** A stop in progress, during which no container is started. */
export interface Stopping {
  /** The grace period of all containers together; zero kills them at once. */
  graceMs: number
  /** The end of the grace period, once it has started. */
  endsAt?: number
  /** Set if the kubelet itself ends the pod. */
  ending: PodEnding | undefined
}

export interface PodWork {
  readonly context: KubeletContext
  /** The back-off between restarts of a container. */
  readonly restarts: BackOff
  readonly images: ImagePuller
  readonly records: ContainerRecord[]
  pod: Stored<Pod>
  sandbox?: Sandbox | undefined
  /** The runtime's operation in progress. */
  sandboxActivity?: 'creating' | 'removing' | undefined
  /** No step has failed since the sandbox was created. */
  sandboxIsNew?: boolean
  stopping?: Stopping | undefined
  /** The pod's containers and sandbox are removed, or the kubelet has released the pod. */
  ended: boolean
  /** Syncs the whole pod at the end of this turn. */
  queueSync(): void
  /** Syncs the pod after the kubelet's delay for failed steps. */
  resyncLater(): void
  /** Syncs the pod after this time; returns false if a sync is already planned or the pod has ended. */
  resyncAfter(milliseconds: number): boolean
  /** Runs a step of a background task; after an error the pod is synced again later. */
  attempt(step: () => void): boolean
  /** Queues a report of the changed status. */
  queueReport(): void
}

export const podIPOf = ({ pod, sandbox, context }: PodWork): string | undefined =>
  sandbox === undefined ? undefined : pod.spec.hostNetwork === true ? context.hostIP : sandbox.ip

/** The values of `fieldRef` that depend on the node. */
export const locationOf = (work: PodWork): PodLocation => ({
  nodeName: work.context.nodeName,
  hostIP: work.context.hostIP,
  podIP: podIPOf(work) ?? '',
  allocatable: work.context.allocatable,
})

/** One pod as its kubelet works on it: shared by the steps that start, watch and stop its containers. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '../meta/index.ts'
import type { Sandbox } from '../ports/index.ts'
import type { BackOff } from './back-off.ts'
import type { ContainerRecord } from './container-record.ts'
import type { PodPlace } from './field-reference.ts'
import type { ImagePuller } from './image-puller.ts'
import type { KubeletContext } from './kubelet-context.ts'
import type { PodEnding } from './pod-status.ts'

/** The pod's containers are being stopped, and none is started any more. */
export interface Stopping {
  /** For all containers together; none at all means to kill them at once. */
  graceMs: number
  /** When it is over, once it has begun. */
  endsAt?: number
  /** Set where the kubelet itself ends the pod. */
  ending: PodEnding | undefined
}

export interface PodWork {
  readonly context: KubeletContext
  readonly restarts: BackOff
  readonly images: ImagePuller
  readonly records: ContainerRecord[]
  pod: Stored<Pod>
  sandbox?: Sandbox | undefined
  /** What the runtime has under way for the sandbox. */
  sandboxActivity?: 'creating' | 'removing' | undefined
  /** Nothing has failed since the sandbox was made. */
  sandboxIsNew?: boolean
  stopping?: Stopping | undefined
  /** Nothing of the pod is left on the node, or the kubelet has let go of it. */
  ended: boolean
  /** Looks at the whole pod again, at the end of this turn. */
  queueSync(): void
  /** Looks at it again after the pause the kubelet makes when something has failed. */
  resyncLater(): void
  /** Looks at it again after this time; does nothing, and says so, where that is planned already. */
  resyncAfter(milliseconds: number): boolean
  /** Runs a step of a task that nobody waits for; after an error the pod is looked at again later. */
  attempt(step: () => void): boolean
  /** The status has changed. */
  changed(): void
}

export const podIPOf = ({ pod, sandbox, context }: PodWork): string | undefined =>
  sandbox === undefined ? undefined : pod.spec.hostNetwork === true ? context.hostIP : sandbox.ip

/** What `fieldRef` can tell of where the pod is. */
export const placeOf = (work: PodWork): PodPlace => ({
  nodeName: work.context.nodeName,
  hostIP: work.context.hostIP,
  podIP: podIPOf(work) ?? '',
  allocatable: work.context.allocatable,
})

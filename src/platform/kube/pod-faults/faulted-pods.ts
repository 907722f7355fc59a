/** The pods on which faults can act: processes of this machine, or models. */

/** A running pod. */
export interface FaultedPod {
  /** The running containers. */
  readonly containers: readonly { readonly name: string }[]
}

export interface FaultedPods<Pod extends FaultedPod> {
  /** Returns undefined for a pod that is not running. */
  find(uid: string): Pod | undefined
  /** Calls the listener before a pod is removed. */
  onRemoval(listener: (uid: string) => void): () => void
}

/** Resolves when the fault is in effect. The returned function undoes it, and succeeds if the pod no longer exists. */
export type ApplyFaultTo<Pod extends FaultedPod, Fault> = (
  fault: Fault,
  pod: Pod,
) => Promise<() => Promise<void>>

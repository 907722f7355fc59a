/** The contract of each kind of fault: applies it to a pod and returns a function that undoes it. */
import type { PodProcessView } from '#platform/kube/ports'

/** Resolves when the fault is in effect. The returned function undoes it, and succeeds if the pod no longer exists. */
export type ApplyFault<Fault> = (fault: Fault, view: PodProcessView) => Promise<() => Promise<void>>

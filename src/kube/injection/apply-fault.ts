/** What each kind of fault is to the whole: a function that does it to a pod and gives back how to undo it. */
import type { PodProcessView } from '../ports/index.ts'

/** Resolves when the fault is felt. What it gives undoes it, and succeeds too when the pod is gone by then. */
export type ApplyFault<Fault> = (fault: Fault, view: PodProcessView) => Promise<() => Promise<void>>

/** The contract of each kind of fault: applies it to the processes of a pod and returns a function that undoes it. */
import type { ApplyFaultTo } from '#platform/kube/pod-faults'
import type { PodProcessView } from '#platform/kube/ports'

export type ApplyFault<Fault> = ApplyFaultTo<PodProcessView, Fault>

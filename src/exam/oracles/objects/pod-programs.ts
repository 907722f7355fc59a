/** What runs in a pod, or in the pods of a workload. */
export { programsOf } from '#exam/effects'

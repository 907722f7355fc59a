/** Does to pods on this machine what chaos objects say. */
export { type ClosablePodFaults, createPodFaults, type PodFaultsOptions } from './create-pod-faults.ts'

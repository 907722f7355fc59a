/** Injects the faults of chaos objects into pods on this machine. */
export { createPodFaults } from './create-pod-faults.ts'
export { isStressor } from './stress/is-stressor.ts'

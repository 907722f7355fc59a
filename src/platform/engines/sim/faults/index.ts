/** Public interface of faults on simulated pods. */
export { createSimPodFaults } from './create-sim-pod-faults.ts'

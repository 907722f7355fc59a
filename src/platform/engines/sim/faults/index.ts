/** Public interface of faults on simulated pods. */
export {
  createSimPodFaults,
  type SimPodDirectory,
  type SimPodFaultsOptions,
} from './create-sim-pod-faults.ts'

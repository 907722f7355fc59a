/** Does to pods on this machine what chaos objects say. */
export { createPodFaults } from './create-pod-faults.ts'

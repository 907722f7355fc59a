/** Does to pods on this machine what chaos objects say. */
export type { ApplyFault } from './apply-fault.ts'

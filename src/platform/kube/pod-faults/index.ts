/** Public interface of what faults on pods of this machine and on simulated pods have in common. */
export { clockNumbersOf } from './clock-numbers.ts'
export { createFaultRegister, type FaultRegister } from './fault-register.ts'
export type * from './faulted-pods.ts'
export { targetContainer } from './target-container.ts'

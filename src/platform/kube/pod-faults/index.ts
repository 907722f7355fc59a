/** Public interface of the parts that faults on pods of this machine share with faults on simulated pods. */
export { clockNumbersOf } from './clock-numbers.ts'
export { createFaultRegister, type FaultRegister } from './fault-register.ts'
export type * from './faulted-pods.ts'
export { targetContainer } from './target-container.ts'

/** Public interface of the scheduler. */
export { createScheduler } from './scheduler.ts'

/** The scheduler. */
export { createScheduler } from './scheduler.ts'

/** The scheduler. */
export { createScheduler, type Scheduler, type SchedulerOptions } from './scheduler.ts'

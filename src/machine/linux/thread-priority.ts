/** Sets the scheduling policy of threads. */
import { setPriority } from 'node:os'
import { libc } from './libc.ts'

const SCHED_OTHER = 0
/** Real-time round robin, ahead of all ordinary threads. */
const SCHED_RR = 2
/** Children of the thread get the default policy. */
const SCHED_RESET_ON_FORK = 0x4000_0000
const MIN_NICE = -20
const ORDINARY_NICE = 0

const schedule = (policy: number, priority: number): boolean =>
  libc.sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, Buffer.from([priority, 0, 0, 0])) === 0

/** On Linux this applies to the calling thread only. */
const setNice = (nice: number): void => {
  try {
    setPriority(nice)
  } catch {
    // Not permitted: the thread is delayed when the machine is busy.
  }
}

/**
 * Gives the calling thread real-time priority, for short tasks with deadlines. A lower nice value is not sufficient,
 * because autogrouping weighs whole sessions before single threads.
 */
export const raiseThreadPriority = (): void => {
  if (!schedule(SCHED_RR, 1)) setNice(MIN_NICE)
}

/** Restores the default policy of the calling thread. */
export const resetThreadPriority = (): void => {
  schedule(SCHED_OTHER, 0)
  setNice(ORDINARY_NICE)
}

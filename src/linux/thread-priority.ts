/** Which thread comes first on a busy machine. */
import { setPriority } from 'node:os'
import { libc } from './libc.ts'

const SCHED_OTHER = 0
/** In turns with others of its kind, ahead of all ordinary ones. */
const SCHED_RR = 2
/** What the thread starts is ordinary again. */
const SCHED_RESET_ON_FORK = 0x4000_0000
const LEAST_NICE = -20
const ORDINARY_NICE = 0

const schedule = (policy: number, priority: number): boolean =>
  libc.sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, Buffer.from([priority, 0, 0, 0])) === 0

/** On Linux this is about the thread alone. */
const setNice = (nice: number): void => {
  try {
    setPriority(nice)
  } catch {
    // Not everybody may. Then it is late when the machine is busy.
  }
}

/**
 * Puts the calling thread ahead of others, for what must happen at its time and takes little. Being less nice
 * would not do: kernels weigh whole sessions against each other before they look at single threads.
 */
export const preferThisThread = (): void => {
  if (!schedule(SCHED_RR, 1)) setNice(LEAST_NICE)
}

/** The calling thread waits for its turn again. */
export const treatThisThreadAsOthers = (): void => {
  schedule(SCHED_OTHER, 0)
  setNice(ORDINARY_NICE)
}

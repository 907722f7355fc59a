/** Which thread comes first on a busy machine. */
import { setPriority } from 'node:os'
import { libc } from './libc.ts'

/** In turns with others of its kind, ahead of all ordinary ones. */
const SCHED_RR = 2
/** What the thread starts is ordinary again. */
const SCHED_RESET_ON_FORK = 0x4000_0000
const LEAST_NICE = -20

/**
 * Puts the calling thread ahead of others, for what must happen at its time and takes little. Being less nice
 * would not do: kernels weigh whole sessions against each other before they look at single threads.
 */
export const preferThisThread = (): void => {
  const priority = Buffer.from([1, 0, 0, 0])
  if (libc.sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, priority) === 0) return
  try {
    // On Linux this is about the thread alone, too.
    setPriority(LEAST_NICE)
  } catch {
    // Not everybody may. Then it is late when the machine is busy.
  }
}

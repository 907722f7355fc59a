/** The time of one simulated container: a clock that faults can shift, and timers that end with the container. */
import type { Clock } from '#kit'
import type { TimeFault } from '#platform/kube'
import type { ProgramTime } from '#spec'

export interface ContainerTime extends ProgramTime {
  /** Shifts the clock. Faults add up. Returns a function that removes the fault. */
  addFault(fault: Pick<TimeFault, 'offsetMs' | 'clocks'>): () => void
  /** No timer fires afterwards. */
  close(): void
}

/** Programs read the time from this clock only; faults on other clocks have no effect. */
const REAL_TIME = 'CLOCK_REALTIME'
/** The minimum in Node.js. Without it, a program that repeats a task without a delay would stop the virtual time. */
const MIN_TIMER_MS = 1

export const createContainerTime = (clock: Clock): ContainerTime => {
  let offsetMs = 0
  let isClosed = false

  return {
    now: () => clock.now() + offsetMs,
    monotonic: () => clock.now(),
    after(ms, task) {
      if (isClosed) return () => {}
      const timer = clock.after(Math.max(MIN_TIMER_MS, ms), () => {
        if (!isClosed) task()
      })
      return () => timer.cancel()
    },
    addFault({ offsetMs: shiftMs, clocks }) {
      let addedMs = clocks.includes(REAL_TIME) ? shiftMs : 0
      offsetMs += addedMs
      return () => {
        offsetMs -= addedMs
        addedMs = 0
      }
    },
    close() {
      // Timers that are still due do nothing: a list of them would cost more than each request's other timers together.
      isClosed = true
    },
  }
}

/** The time of one simulated container: a clock that faults can shift, and timers that end with the container. */
import type { Clock, Timer } from '#kit'
import type { TimeFault } from '#platform/kube'
import type { ProgramTime } from '#spec'

export interface ContainerTime extends ProgramTime {
  /** Shifts the clock. Faults add up. Returns a function that removes the fault. */
  addFault(fault: Pick<TimeFault, 'offsetMs' | 'clocks'>): () => void
  /** Cancels all timers. Later ones never fire. */
  close(): void
}

/** Programs read the time from this clock only; faults on other clocks have no effect. */
const REAL_TIME = 'CLOCK_REALTIME'
/** The minimum in Node.js. Without it, a program that repeats a task without a delay would stop the virtual time. */
const MIN_TIMER_MS = 1

export const createContainerTime = (clock: Clock): ContainerTime => {
  const timers = new Set<Timer>()
  let offsetMs = 0
  let isClosed = false

  return {
    now: () => clock.now() + offsetMs,
    monotonic: () => clock.now(),
    after(ms, task) {
      if (isClosed) return () => {}
      const timer = clock.after(Math.max(MIN_TIMER_MS, ms), () => {
        timers.delete(timer)
        task()
      })
      timers.add(timer)
      return () => {
        if (timers.delete(timer)) timer.cancel()
      }
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
      isClosed = true
      for (const timer of timers) timer.cancel()
      timers.clear()
    },
  }
}

/** The clock of the operating system. */
import type { Clock } from './clock.ts'

/** The longest delay of a Node.js timer. A timer with a longer delay would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Creates a clock whose timers do not keep the process alive; servers and streams do that. Callers that wait without either
 * pass `keepsAlive`.
 */
export const createRealClock = ({ keepsAlive = false } = {}): Clock => ({
  now: () => Date.now(),
  after(milliseconds, task) {
    let handle: NodeJS.Timeout
    const wait = (remainingMs: number): void => {
      handle =
        remainingMs > MAX_TIMER_MS
          ? setTimeout(() => wait(remainingMs - MAX_TIMER_MS), MAX_TIMER_MS)
          : setTimeout(task, remainingMs)
      if (!keepsAlive) handle.unref()
    }
    wait(milliseconds)
    return { cancel: () => clearTimeout(handle) }
  },
  defer: (task) => {
    setImmediate(task)
  },
})

/** The clock of the operating system. */
import type { Clock } from './clock.ts'

/** What a timer of the operating system can wait at most; beyond that it would fire at once. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * A clock whose timers do not keep the process alive by themselves: servers and streams do that. Whoever waits with
 * neither of them asks for one that does.
 */
export const createRealClock = ({ keepsAlive = false } = {}): Clock => ({
  now: () => Date.now(),
  after(milliseconds, task) {
    let handle: NodeJS.Timeout
    const wait = (left: number): void => {
      handle =
        left > LONGEST_MS ? setTimeout(() => wait(left - LONGEST_MS), LONGEST_MS) : setTimeout(task, left)
      if (!keepsAlive) handle.unref()
    }
    wait(milliseconds)
    return { cancel: () => clearTimeout(handle) }
  },
  defer: (task) => {
    setImmediate(task)
  },
})

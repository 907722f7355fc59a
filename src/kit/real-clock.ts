/** The clock of the operating system. */
import type { Clock } from './clock.ts'

/** A clock whose timers do not keep the process alive by themselves: servers and streams do that. */
export const createRealClock = (): Clock => ({
  now: () => Date.now(),
  after(milliseconds, task) {
    const handle = setTimeout(task, milliseconds)
    return { cancel: () => clearTimeout(handle) }
  },
  defer: (task) => {
    setImmediate(task)
  },
})

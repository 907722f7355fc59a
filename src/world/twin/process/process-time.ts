/** The time of this process. */
import type { ProgramTime } from '#spec'

export const processTime: ProgramTime = {
  now: () => Date.now(),
  monotonic: () => performance.timeOrigin + performance.now(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
}

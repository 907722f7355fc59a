/** A clock that runs faster than the machine's: what a cluster waits for in minutes comes in seconds. */
import { type Clock, createRealClock } from '../../src/kit/index.ts'

export const createFastClock = (factor: number): Clock => {
  const real = createRealClock()
  const start = real.now()
  return {
    now: () => start + (real.now() - start) * factor,
    after: (milliseconds, task) => real.after(milliseconds / factor, task),
    defer: real.defer,
  }
}

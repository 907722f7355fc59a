/** A clock that runs faster than real time, so that a cluster waits seconds instead of minutes. */
import { type Clock, createRealClock } from '#kit'

export const createFastClock = (factor: number): Clock => {
  const real = createRealClock()
  const start = real.now()
  return {
    now: () => start + (real.now() - start) * factor,
    after: (milliseconds, task) => real.after(milliseconds / factor, task),
    defer: real.defer,
  }
}

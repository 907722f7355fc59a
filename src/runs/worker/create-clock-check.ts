/** Finds that the clock of the machine was set since a worker began: what it starts now has another time than itself. */
import { clockDrift, MOST_CLOCK_DRIFT } from '../../kit/index.ts'
import { RemediumError } from '../../spec/index.ts'

/** What it gives throws from the moment on that the clock was set. */
export const createClockCheck = (driftNow = clockDrift): (() => void) => {
  const began = driftNow()
  return () => {
    const jump = Math.round(driftNow() - began)
    if (Math.abs(jump) > MOST_CLOCK_DRIFT)
      throw new RemediumError(
        'clock-jumped',
        `The clock of this machine was set by ${jump} ms since the worker began.`,
      )
  }
}

/** Finds that the clock of the machine was set since a worker began: what it starts now has another time than itself. */
import { clockDrift } from '../../kit/index.ts'
import { RemediumError } from '../../spec/index.ts'

/** As in the record of an episode, which only sees what happens while it is made. */
const MOST_DRIFT_MS = 1000

/** What it gives throws from the moment on that the clock was set. */
export const createClockCheck = (driftNow = clockDrift): (() => void) => {
  const began = driftNow()
  return () => {
    const jump = Math.round(driftNow() - began)
    if (Math.abs(jump) > MOST_DRIFT_MS)
      throw new RemediumError(
        'clock-jumped',
        `The clock of this machine was set by ${jump} ms since the worker began.`,
      )
  }
}

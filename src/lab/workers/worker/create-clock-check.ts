/** Detects that the clock of the machine has jumped since the worker started. */
import { clockDrift, MAX_CLOCK_DRIFT_MS } from '#kit'
import { RemediumError } from '#spec'

/** The returned function throws once the clock has jumped, because new processes would have a different time than the worker. */
export const createClockCheck = (driftNow = clockDrift): (() => void) => {
  const driftAtStart = driftNow()
  return () => {
    const jump = Math.round(driftNow() - driftAtStart)
    if (Math.abs(jump) > MAX_CLOCK_DRIFT_MS)
      throw new RemediumError(
        'clock-jumped',
        `The clock of this machine has jumped by ${jump} ms since the worker started.`,
      )
  }
}

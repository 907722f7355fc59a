/** The clocks that a time fault shifts, by their numbers in the Linux kernel. */
import type { TimeFault } from '#platform/kube/ports'

/** A clock is shifted together with its coarse variant. */
const CLOCK_NUMBERS: Readonly<Record<string, readonly number[]>> = {
  CLOCK_REALTIME: [0, 5],
  CLOCK_MONOTONIC: [1, 6],
  CLOCK_PROCESS_CPUTIME_ID: [2],
  CLOCK_THREAD_CPUTIME_ID: [3],
  CLOCK_MONOTONIC_RAW: [4],
  CLOCK_REALTIME_COARSE: [5],
  CLOCK_MONOTONIC_COARSE: [6],
  CLOCK_BOOTTIME: [7],
  CLOCK_REALTIME_ALARM: [8],
  CLOCK_BOOTTIME_ALARM: [9],
  CLOCK_TAI: [11],
}

/** Throws if a name is unknown. */
export const clockNumbersOf = ({ clocks }: Pick<TimeFault, 'clocks'>): ReadonlySet<number> =>
  new Set(
    clocks.flatMap((name) => {
      const numbers = CLOCK_NUMBERS[name]
      if (numbers === undefined)
        throw new Error(`clocks of a time fault must be names such as CLOCK_REALTIME, not ${name}`)
      return numbers
    }),
  )

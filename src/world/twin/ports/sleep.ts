/** Waits by the clock of a host. */
import type { ProgramTime } from '#spec'

export const sleep = (time: ProgramTime, ms: number): Promise<void> =>
  new Promise((resolve) => {
    time.after(ms, resolve)
  })

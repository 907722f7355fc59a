/** Limits the number of concurrent container starts, which are CPU-bound. */
import type { Clock } from '#kit'

/** A start that takes longer is considered blocked, for example on a FIFO that its pod has created. */
const MAX_HOLD_MS = 5000

export interface StartSlots {
  /** A task that runs too long continues, but frees its slot. */
  run<T>(task: () => Promise<T>, clock: Clock): Promise<T>
}

export const createStartSlots = (count: number): StartSlots => {
  const waiting: (() => void)[] = []
  let free = count
  const release = (): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
  return {
    async run(task, clock) {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      let held = true
      const releaseOnce = (): void => {
        if (held) release()
        held = false
      }
      const timer = clock.after(MAX_HOLD_MS, releaseOnce)
      try {
        return await task()
      } finally {
        timer.cancel()
        releaseOnce()
      }
    },
  }
}

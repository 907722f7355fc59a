/** Lets only so many tasks run at the same time: starting containers is work for all cores. */
import type { Clock } from '../../../kit/index.ts'

/** Whatever takes longer waits for something, such as a file that its pod has made to keep it waiting. */
const LONGEST_MS = 5000

export interface StartSlots {
  /** A task that takes very long goes on, but no longer keeps others from running. */
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
      const letGo = (): void => {
        if (held) release()
        held = false
      }
      const timer = clock.after(LONGEST_MS, letGo)
      try {
        return await task()
      } finally {
        timer.cancel()
        letGo()
      }
    },
  }
}

/** Limits the concurrency and the rate of requests. */
import type { ProgramTime } from '#spec'

/** Runs at most `maxConcurrent` tasks at once; the others wait in order. */
export const createConcurrencyLimiter = (
  maxConcurrent: number,
): (<T>(work: () => Promise<T>) => Promise<T>) => {
  const waiting: (() => void)[] = []
  let active = 0
  const acquire = (): Promise<void> | undefined => {
    if (active < maxConcurrent) {
      active += 1
      return undefined
    }
    return new Promise((resolve) => waiting.push(resolve))
  }
  const release = (): void => {
    const next = waiting.shift()
    if (next === undefined) active -= 1
    else next()
  }
  return async (work) => {
    await acquire()
    try {
      return await work()
    } finally {
      release()
    }
  }
}

/** A token bucket with the tokens of one second; the returned function returns false above the rate. */
export const createRateLimiter = (perSecond: number, time: ProgramTime): (() => boolean) => {
  let tokens = perSecond
  let filledAt = time.monotonic()
  return () => {
    const now = time.monotonic()
    tokens = Math.min(perSecond, tokens + ((now - filledAt) / 1000) * perSecond)
    filledAt = now
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}

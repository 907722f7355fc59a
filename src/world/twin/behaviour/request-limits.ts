/** Limits the concurrency and the rate of requests. */

/** Runs at most `maxConcurrent` tasks at once; the others wait in order. */
export const createConcurrencyLimiter = (
  maxConcurrent: number,
): (<T>(work: () => Promise<T>) => Promise<T>) => {
  const waiting: (() => void)[] = []
  let active = 0
  const enter = (): Promise<void> | undefined => {
    if (active < maxConcurrent) {
      active += 1
      return undefined
    }
    return new Promise((resolve) => waiting.push(resolve))
  }
  const leave = (): void => {
    const next = waiting.shift()
    if (next === undefined) active -= 1
    else next()
  }
  return async (work) => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

/** A token bucket: returns false if the request exceeds the rate. The burst is one second's worth. */
export const createRateLimiter = (perSecond: number): (() => boolean) => {
  let tokens = perSecond
  let filledAt = performance.now()
  return () => {
    const now = performance.now()
    tokens = Math.min(perSecond, tokens + ((now - filledAt) / 1000) * perSecond)
    filledAt = now
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}

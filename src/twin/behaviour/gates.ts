/** Bounds on requests: how many at the same time, and how many a second. */

/** Lets so many in at a time; the others wait in order. */
export const createConcurrencyGate = (most: number): (<T>(work: () => Promise<T>) => Promise<T>) => {
  const waiting: (() => void)[] = []
  let inside = 0
  const enter = (): Promise<void> | undefined => {
    if (inside < most) {
      inside += 1
      return undefined
    }
    return new Promise((resolve) => waiting.push(resolve))
  }
  const leave = (): void => {
    const next = waiting.shift()
    if (next === undefined) inside -= 1
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

/** Says whether one more may come: so many a second, and after a pause so many at once. */
export const createRateGate = (perSecond: number): (() => boolean) => {
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

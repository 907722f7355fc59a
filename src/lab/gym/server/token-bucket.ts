/** Limits the rate of messages of one client. */

export interface TokenBucket {
  /** Returns false if the client has sent more than it may. */
  take(): boolean
}

/** `now` returns milliseconds. The bucket holds the tokens of two seconds. */
export const createTokenBucket = (perSecond: number, now: () => number): TokenBucket => {
  const capacity = 2 * perSecond
  let tokens = capacity
  let at = now()
  return {
    take() {
      const time = now()
      tokens = Math.min(capacity, tokens + ((time - at) / 1000) * perSecond)
      at = time
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
  }
}

/** How long a gRPC channel leaves a peer alone after it could not be reached, by the figures of the protocol's own text but for the longest. */

const FIRST_MS = 1000
const FACTOR = 1.6
/** The text says two minutes. Outages here last seconds, and users must see within seconds that one is over. */
const MOST_MS = 2000
const JITTER = 0.2

export interface ReconnectBackoff {
  /** Milliseconds until the next attempt may be made. */
  failed(): number
  succeeded(): void
}

export const createReconnectBackoff = (random: () => number = Math.random): ReconnectBackoff => {
  let failures = 0
  return {
    failed: () => {
      const planned = Math.min(FIRST_MS * FACTOR ** failures, MOST_MS)
      failures += 1
      return planned * (1 + JITTER * (2 * random() - 1))
    },
    succeeded: () => {
      failures = 0
    },
  }
}

/**
 * The reconnect backoff of a gRPC channel, with the parameters of the gRPC specification except for the
 * maximum.
 */

const INITIAL_MS = 1000
const FACTOR = 1.6
/**
 * The specification sets two minutes. Outages here last seconds, and recovery must be visible within seconds.
 */
const MAX_MS = 2000
const JITTER = 0.2

export interface ReconnectBackoff {
  /** Returns the milliseconds until the next attempt. */
  failed(): number
  succeeded(): void
}

export const createReconnectBackoff = (random: () => number): ReconnectBackoff => {
  let failures = 0
  return {
    failed: () => {
      const planned = Math.min(INITIAL_MS * FACTOR ** failures, MAX_MS)
      failures += 1
      return planned * (1 + JITTER * (2 * random() - 1))
    },
    succeeded: () => {
      failures = 0
    },
  }
}

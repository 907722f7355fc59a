/** Limits events as the recorder of client-go does: aggregates similar ones and rate-limits each object. */
import type { Clock } from '#kit'
import { setLru } from './set-lru.ts'

const MAX_SIMILAR = 10
const SIMILAR_WINDOW_MS = 600_000
const BURST = 25
const REFILL_INTERVAL_MS = 300_000

interface SimilarEvents {
  messages: Set<string>
  latestAt: number
}

interface TokenBucket {
  tokens: number
  refilledAt: number
}

export interface EventLimiter {
  /**
   * Returns the key and message to record. Similar events are combined, starting with the tenth different
   * message.
   */
  aggregate(key: string, message: string): { key: string; message: string }
  /** Returns false if the object has exhausted its rate limit. */
  takeToken(uid: string): boolean
}

export const createEventLimiter = (clock: Clock): EventLimiter => {
  const similar = new Map<string, SimilarEvents>()
  const buckets = new Map<string, TokenBucket>()

  return {
    aggregate(key, message) {
      const now = clock.now()
      const known = similar.get(key)
      const isExpired = known === undefined || now - known.latestAt > SIMILAR_WINDOW_MS
      const messages = isExpired ? new Set<string>() : known.messages
      messages.add(message)
      setLru(similar, key, { messages, latestAt: now })
      if (messages.size < MAX_SIMILAR) return { key: `${key}|${message}`, message }
      // Drops the oldest message, so that the set does not grow.
      const [oldest] = messages
      messages.delete(oldest!)
      return { key, message: `(combined from similar events): ${message}` }
    },
    takeToken(uid) {
      const now = clock.now()
      const bucket = buckets.get(uid) ?? { tokens: BURST, refilledAt: now }
      bucket.tokens = Math.min(BURST, bucket.tokens + (now - bucket.refilledAt) / REFILL_INTERVAL_MS)
      bucket.refilledAt = now
      setLru(buckets, uid, bucket)
      if (bucket.tokens < 1) return false
      bucket.tokens -= 1
      return true
    },
  }
}

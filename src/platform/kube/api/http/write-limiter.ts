/** Per-user write limit; answers 429 above it. */
import type { Clock } from '#kit'
import { tooManyRequests } from '#platform/kube/meta'
import type { User } from '#platform/kube/ports'

export interface WriteLimiter {
  /** Charges a write with a body of `bytes` to its user. Throws TooManyRequests if the user is over the limit. */
  count(user: User, bytes: number): void
  /** Charges bytes of a write that were not declared when it was counted. Throws as `count` does. */
  countMore(user: User, bytes: number): void
}

/** A write costs one token, and one more for each chunk of this size in its body. */
const CHUNK_BYTES = 4096
const TOKENS_PER_SECOND = 200
/** Large enough to apply a large system at once. */
const BURST = 20_000
/** Once there are this many buckets, full ones are removed. */
const EVICTION_THRESHOLD = 1000

interface TokenBucket {
  tokens: number
  /** When `tokens` was last updated. */
  updatedAt: number
}

export const createWriteLimiter = (clock: Clock): WriteLimiter => {
  const buckets = new Map<string, TokenBucket>()
  const refilledTokens = ({ tokens, updatedAt }: TokenBucket, now: number): number =>
    Math.min(BURST, tokens + ((now - updatedAt) / 1000) * TOKENS_PER_SECOND)

  /** Full buckets can be removed, because new ones start full. */
  const evictFull = (now: number): void => {
    for (const [name, bucket] of buckets) if (refilledTokens(bucket, now) === BURST) buckets.delete(name)
  }

  const charge = ({ username, impersonator }: User, cost: number): void => {
    // The impersonator is charged, because a client can impersonate any number of names.
    const name = impersonator?.username ?? username
    const now = clock.now()
    const tokens = refilledTokens(buckets.get(name) ?? { tokens: BURST, updatedAt: now }, now)
    if (tokens < cost) throw tooManyRequests('Too many requests, please try again later.', 1)
    if (buckets.size >= EVICTION_THRESHOLD) evictFull(now)
    buckets.set(name, { tokens: tokens - cost, updatedAt: now })
  }

  return {
    count: (user, bytes) => charge(user, 1 + bytes / CHUNK_BYTES),
    countMore: (user, bytes) => charge(user, bytes / CHUNK_BYTES),
  }
}

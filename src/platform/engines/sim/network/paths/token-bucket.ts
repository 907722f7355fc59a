/** A token bucket with a queue of limited size, as the queueing discipline tbf of Linux. Plain data. */
import type { BandwidthBucket } from '#platform/kube/simulated'

export interface TokenBucket {
  readonly bytesPerMs: number
  readonly buffer: number
  readonly limit: number
  /** The tokens at the time `at`, when the last admitted packet leaves. */
  tokens: number
  at: number
  /** The admitted packets that have not left, and their size together. */
  readonly waiting: { readonly leavesAt: number; readonly bytes: number }[]
  backlog: number
}

export const createTokenBucket = ({ rate, buffer, limit }: BandwidthBucket, now: number): TokenBucket => ({
  bytesPerMs: rate / 8 / 1000,
  buffer,
  limit,
  tokens: buffer,
  at: now,
  waiting: [],
  backlog: 0,
})

/** Returns when the packet leaves; undefined if it is dropped because the queue is full. */
export const admitPacket = (bucket: TokenBucket, now: number, bytes: number): number | undefined => {
  const { bytesPerMs, buffer, limit, waiting } = bucket
  while (waiting.length > 0 && waiting[0]!.leavesAt <= now) bucket.backlog -= waiting.shift()!.bytes
  if (bucket.backlog + bytes > limit) return undefined
  const start = Math.max(now, bucket.at)
  const tokens = Math.min(buffer, bucket.tokens + (start - bucket.at) * bytesPerMs)
  const wait = Math.max(0, (bytes - tokens) / bytesPerMs)
  const leavesAt = start + wait
  bucket.tokens = tokens + wait * bytesPerMs - bytes
  bucket.at = leavesAt
  if (leavesAt > now) {
    waiting.push({ leavesAt, bytes })
    bucket.backlog += bytes
  }
  return leavesAt
}

/** Exponential back-off for the failed records of an experiment. */

const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 60_000

export interface RecordBackoff {
  /** Milliseconds until the record may be retried; 0 if it may be retried now. */
  remaining(index: number, now: number): number
  recordFailure(index: number, now: number): void
  reset(index: number): void
}

export const createRecordBackoff = (): RecordBackoff => {
  const failures = new Map<number, { count: number; notBefore: number }>()
  return {
    remaining: (index, now) => Math.max(0, (failures.get(index)?.notBefore ?? 0) - now),
    recordFailure(index, now) {
      const count = failures.get(index)?.count ?? 0
      const delay = Math.min(FIRST_RETRY_MS * 2 ** count, MAX_RETRY_MS)
      failures.set(index, { count: count + 1, notBefore: now + delay })
    },
    reset: (index) => {
      failures.delete(index)
    },
  }
}

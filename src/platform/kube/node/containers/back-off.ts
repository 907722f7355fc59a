/** Exponential back-off between failing attempts: 10 s, doubled each time up to 300 s. */

const INITIAL_PAUSE_MS = 10_000
const MAX_PAUSE_MS = 300_000

interface Entry {
  pauseMs: number
  updatedAt: number
}

export interface BackOff {
  /** Whether the next attempt after a failure at `failedAt` must still wait at `now`. */
  isWaiting(key: string, failedAt: number, now: number): boolean
  /** Records a new attempt after a failure at `failedAt`, and lengthens the next pause. */
  next(key: string, failedAt: number, now: number): void
  /** The current pause of a key. */
  pauseMs(key: string): number
  /** Drops the keys of a deleted pod: those that begin with its uid and a slash. */
  forget(uid: string): void
}

/** The back-off of a key is reset after twice the longest pause without a failure. */
const isExpired = (entry: Entry, failedAt: number): boolean => failedAt - entry.updatedAt > 2 * MAX_PAUSE_MS

export const createBackOff = (): BackOff => {
  const entries = new Map<string, Entry>()
  return {
    isWaiting(key, failedAt, now) {
      const entry = entries.get(key)
      return entry !== undefined && !isExpired(entry, failedAt) && now - failedAt < entry.pauseMs
    },
    next(key, failedAt, now) {
      const entry = entries.get(key)
      const pauseMs =
        entry === undefined || isExpired(entry, failedAt)
          ? INITIAL_PAUSE_MS
          : Math.min(entry.pauseMs * 2, MAX_PAUSE_MS)
      entries.set(key, { pauseMs, updatedAt: now })
    },
    pauseMs: (key) => entries.get(key)?.pauseMs ?? 0,
    forget(uid) {
      for (const key of entries.keys()) if (key.startsWith(`${uid}/`)) entries.delete(key)
    },
  }
}

/** Formats a duration in whole seconds as Go does: `10s`, `1m20s`, `5m0s`. */
export const goDuration = (milliseconds: number): string => {
  const seconds = Math.round(milliseconds / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}

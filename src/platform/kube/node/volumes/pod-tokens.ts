/** Caches the tokens of pods' volumes and renews each after 80% of its lifetime, at the latest after a day. */
import type { Clock, Timer } from '#kit'
import type { IssueToken } from '../kubelet-context.ts'

const RENEW_AFTER_SHARE = 0.8
/** A token is renewed after this time even if it is valid for longer. */
const MAX_AGE_MS = 24 * 3_600_000

interface CachedToken {
  readonly token: string
  readonly timer: Timer
}

export interface PodTokens {
  /** Returns the cached token or a new one. */
  readonly issue: IssueToken
  forget(uid: string): void
  stop(): void
}

/** `onDue` is called when a token is due for renewal; the next `issue` returns a new one. */
export const createPodTokens = (clock: Clock, issue: IssueToken, onDue: (uid: string) => void): PodTokens => {
  const cache = new Map<string, Map<string, CachedToken>>()

  const forget = (uid: string): void => {
    for (const { timer } of cache.get(uid)?.values() ?? []) timer.cancel()
    cache.delete(uid)
  }

  return {
    issue(pod, audience, expirationSeconds) {
      const { uid } = pod.metadata
      const podTokens = cache.get(uid) ?? new Map<string, CachedToken>()
      const key = `${expirationSeconds} ${audience ?? ''}`
      const entry = podTokens.get(key)
      if (entry !== undefined) return entry.token
      const token = issue(pod, audience, expirationSeconds)
      if (token === '') return token
      const renewMs = Math.min(expirationSeconds * 1000 * RENEW_AFTER_SHARE, MAX_AGE_MS)
      const timer = clock.after(renewMs, () => {
        podTokens.delete(key)
        onDue(uid)
      })
      cache.set(uid, podTokens.set(key, { token, timer }))
      return token
    },
    forget,
    stop() {
      for (const uid of [...cache.keys()]) forget(uid)
    },
  }
}

/** The tokens that volumes of pods show: each is kept until four fifths of its life are over. */
import type { Clock, Timer } from '../../kit/index.ts'
import type { IssueToken } from './kubelet-context.ts'

const SHARE_OF_LIFE = 0.8
/** However long a token lives, it is not shown for longer. */
const LONGEST_MS = 24 * 3_600_000

interface Kept {
  readonly token: string
  readonly timer: Timer
}

export interface PodTokens {
  /** The token that the pod has, or a new one. */
  readonly issue: IssueToken
  forget(uid: string): void
  stop(): void
}

/** `onDue`: a token of the pod has been dropped, and the next one that is asked for will be new. */
export const createPodTokens = (clock: Clock, issue: IssueToken, onDue: (uid: string) => void): PodTokens => {
  const kept = new Map<string, Map<string, Kept>>()

  const forget = (uid: string): void => {
    for (const { timer } of kept.get(uid)?.values() ?? []) timer.cancel()
    kept.delete(uid)
  }

  return {
    issue(pod, audience, expirationSeconds) {
      const { uid } = pod.metadata
      const own = kept.get(uid) ?? new Map<string, Kept>()
      const key = `${expirationSeconds} ${audience ?? ''}`
      const known = own.get(key)
      if (known !== undefined) return known.token
      const token = issue(pod, audience, expirationSeconds)
      if (token === '') return token
      const renewMs = Math.min(expirationSeconds * 1000 * SHARE_OF_LIFE, LONGEST_MS)
      const timer = clock.after(renewMs, () => {
        own.delete(key)
        onDue(uid)
      })
      kept.set(uid, own.set(key, { token, timer }))
      return token
    },
    forget,
    stop() {
      for (const uid of [...kept.keys()]) forget(uid)
    },
  }
}

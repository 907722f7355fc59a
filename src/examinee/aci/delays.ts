/** Measures how much of an agent's time failed model calls take. */
import type { RemediumError } from '#spec'

interface ModelCall {
  readonly startedAt: number
  /** When the last attempt failed. Absent if no attempt has failed. */
  lostUntil?: number
}

export interface Delays {
  /** Called when a model call starts. */
  begin(): {
    /** Called when an attempt has failed. */
    note(error: RemediumError): void
    /** Called when the model has answered, or the call has failed for good. */
    end(): void
  }
  /** Returns the time lost in failed attempts and the last error; undefined if no attempt has failed. */
  lost(): { readonly milliseconds: number; readonly error: RemediumError } | undefined
}

/** `now` returns the time of the agent's budget in milliseconds. */
export const createDelays = (now: () => number): Delays => {
  const openCalls = new Set<ModelCall>()
  /** The time lost in calls that have ended. */
  let endedMs = 0
  let lastError: RemediumError | undefined
  return {
    begin() {
      const call: ModelCall = { startedAt: now() }
      openCalls.add(call)
      return {
        note(error) {
          call.lostUntil = now()
          lastError = error
        },
        end() {
          openCalls.delete(call)
          endedMs += (call.lostUntil ?? call.startedAt) - call.startedAt
        },
      }
    },
    lost() {
      if (lastError === undefined) return undefined
      // A call with a failed attempt and no answer yet counts in full.
      const failing = [...openCalls].filter(({ lostUntil }) => lostUntil !== undefined)
      const milliseconds = failing.reduce((sum, { startedAt }) => sum + now() - startedAt, endedMs)
      return { milliseconds, error: lastError }
    },
  }
}

/** Counts what providers of models take of an agent's time by tries that come to nothing. */
import { preciseNow } from '../kit/index.ts'
import type { RemediumError } from '../spec/index.ts'

interface Asked {
  readonly began: number
  /** Until when nothing had come of it; absent where no try has failed. */
  lostUntil?: number
}

export interface Delays {
  /** A model is asked. */
  begin(): {
    /** Nothing has come of it until now. */
    note(error: RemediumError): void
    /** It was answered, or is not asked any more. */
    end(): void
  }
  /** Milliseconds until now, and why the last try failed; nothing where none has. */
  lost(): { readonly milliseconds: number; readonly error: RemediumError } | undefined
}

export const createDelays = (now: () => number = preciseNow): Delays => {
  const open = new Set<Asked>()
  let past = 0
  let last: RemediumError | undefined
  return {
    begin() {
      const asked: Asked = { began: now() }
      open.add(asked)
      return {
        note(error) {
          asked.lostUntil = now()
          last = error
        },
        end() {
          open.delete(asked)
          past += (asked.lostUntil ?? asked.began) - asked.began
        },
      }
    },
    lost() {
      if (last === undefined) return undefined
      // Whoever has failed and not answered since is still at it.
      const present = [...open].filter(({ lostUntil }) => lostUntil !== undefined)
      const milliseconds = present.reduce((sum, { began }) => sum + now() - began, past)
      return { milliseconds, error: last }
    },
  }
}

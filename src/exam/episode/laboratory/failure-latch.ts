/** The failure that made a laboratory unusable; the first one counts. */
import { type RemediumError, toRemediumError } from '#spec'

/** Failures that do not affect later episodes. */
const EPISODE_FAILURES: readonly string[] = ['record-lost', 'clock-jumped']

export interface FailureLatch {
  readonly current: RemediumError | undefined
  set(thrown: unknown): void
  throwIfSet(): void
  /** Clears a failure that concerned one episode only. */
  clearEpisodeFailure(): void
}

export const createFailureLatch = (onSet: () => void = () => {}): FailureLatch => {
  let current: RemediumError | undefined
  return {
    get current() {
      return current
    },
    set(thrown) {
      current ??= toRemediumError(thrown)
      onSet()
    },
    throwIfSet() {
      if (current !== undefined) throw current
    },
    clearEpisodeFailure() {
      if (current !== undefined && EPISODE_FAILURES.includes(current.code)) current = undefined
    },
  }
}

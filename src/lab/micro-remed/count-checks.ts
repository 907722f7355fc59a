/** Counts how often MicroRemed's own check agrees with the verdict. */
import type { EpisodeResult } from '#spec'

/** Counts only judged episodes on which the check was performed. */
export interface CheckCounts {
  readonly checked: number
  readonly passed: number
  /** The check passed, but the verdict is unresolved. */
  readonly passedUnresolved: number
  /** The check failed, but the verdict is resolved. */
  readonly failedResolved: number
}

export const countChecks = (results: readonly EpisodeResult[]): CheckCounts => {
  const checked = results.filter(
    ({ outcome, passesMicroRemedCheck }) => outcome !== 'void' && passesMicroRemedCheck !== undefined,
  )
  const count = (outcome: EpisodeResult['outcome'], passes: boolean): number =>
    checked.filter((result) => result.outcome === outcome && result.passesMicroRemedCheck === passes).length
  const passedUnresolved = count('unresolved', true)
  return {
    checked: checked.length,
    passed: count('resolved', true) + passedUnresolved,
    passedUnresolved,
    failedResolved: count('resolved', false),
  }
}

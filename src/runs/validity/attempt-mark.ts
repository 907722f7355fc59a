/** An attempt in a few letters, for tables. */
import { type AttemptResult, isAsExpected } from '../attempt.ts'

/** In capitals where it is not as it should be. */
export const attemptMark = (result: AttemptResult | undefined): string => {
  if (result === undefined) return '-'
  const word = { resolved: 'pass', unresolved: 'fail', void: 'void' }[result.outcome]
  return isAsExpected(result) ? word : word.toUpperCase()
}

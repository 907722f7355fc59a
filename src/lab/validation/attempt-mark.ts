/** A short mark for the outcome of an attempt in tables. */
import { isUnsupported } from '#spec'
import { type AttemptResult, isAsExpected } from './attempt.ts'

/** In capitals if the outcome is not the expected one; `idle` for a hack that found nothing to damage. */
export const attemptMark = (result: AttemptResult | undefined): string => {
  if (result === undefined) return '-'
  if (isUnsupported(result)) return 'unsupported'
  if (result.isIdle && isAsExpected(result)) return 'idle'
  const word = { resolved: 'pass', unresolved: 'fail', void: 'void' }[result.outcome]
  return isAsExpected(result) ? word : word.toUpperCase()
}

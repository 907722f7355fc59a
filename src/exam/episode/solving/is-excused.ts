/** Whether a solver is excused for an error that it threw. */
import { RemediumError } from '#spec'

/** Operator errors that prevent a solver from working, such as a rejected key or a missing tool. */
const OPERATOR_CODES: readonly string[] = ['key-missing', 'model-failed', 'not-recorded', 'tool-missing']

/**
 * Errors of the machine, the provider and the harness excuse a solver. Errors of the operator with other
 * codes are bad arguments of the solver itself.
 */
export const isExcused = (error: unknown): error is RemediumError => {
  if (!(error instanceof RemediumError) || error.blame === 'agent') return false
  return error.blame !== 'operator' || OPERATOR_CODES.includes(error.code)
}

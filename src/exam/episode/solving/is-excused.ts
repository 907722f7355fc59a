/** Whether a solver is excused for an error that it threw. */
import { RemediumError } from '#spec'

/** Errors of the operator that keep a solver from working: a refused key or model, a missing recording or program. */
const OPERATOR_CODES: readonly string[] = ['key-missing', 'model-failed', 'not-recorded', 'tool-missing']

/** Errors of the machine, the provider and the harness excuse. Other errors of the operator are bad arguments of the solver itself. */
export const isExcused = (error: unknown): error is RemediumError => {
  if (!(error instanceof RemediumError) || error.blame === 'agent') return false
  return error.blame !== 'operator' || OPERATOR_CODES.includes(error.code)
}

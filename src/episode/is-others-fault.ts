/** Whether a solver is not to blame for what it threw. */
import { RemediumError } from '../spec/index.ts'

/**
 * With these models are refused (a wrong key, a wrong name, an empty account, another recording), and programs that are to
 * be the agent and are not there.
 */
const OF_OPERATORS: readonly string[] = ['key-missing', 'model-failed', 'not-recorded', 'tool-missing']

/**
 * Who throws something of the machine's gets no blame for it, nor who was given a model that cannot be had, nor who was
 * never started. Other mistakes of operators are arguments that the solver itself has given.
 */
export const isOthersFault = (error: unknown): error is RemediumError => {
  if (!(error instanceof RemediumError) || error.blame === 'agent') return false
  return error.blame !== 'operator' || OF_OPERATORS.includes(error.code)
}

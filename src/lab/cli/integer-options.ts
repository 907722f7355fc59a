/** Limits of integer options that several commands share, and the option for the number of workers. */
import type { OptionDeclaration } from './define-command.ts'

/** These two limit the plan of a run, which is kept in memory. */
export const MAX_EPOCHS = 1000
export const MAX_PROBLEMS = 10_000
/** These three are also the limits of a suite's budget. */
export const MAX_STEPS = 10_000
export const MAX_SECONDS = 86_400
export const MAX_TOKENS = 1_000_000_000

export const WORKERS_OPTION = {
  type: 'integer',
  value: 'N',
  about: 'the number of parallel clusters',
  default: 2,
  min: 1,
  max: 256,
} as const satisfies OptionDeclaration

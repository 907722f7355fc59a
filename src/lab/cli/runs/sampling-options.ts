/** The options for the sampling settings of models, which several commands share. */
import { defined } from '#kit'
import { REASONING_EFFORTS, type RunSettings } from '#spec'
import type { OptionDeclarations, OptionValues } from '../define-command.ts'

/** The largest seed that all providers accept. */
const MAX_SEED = 2_147_483_647

export const SAMPLING_OPTIONS = {
  temperature: {
    type: 'number',
    value: 'T',
    about: 'the sampling temperature of the models, 0 to 2 (default: set by the provider)',
    min: 0,
    max: 2,
  },
  'top-p': {
    type: 'number',
    value: 'P',
    about: 'the probability mass from which tokens are drawn, 0 to 1 (default: set by the provider)',
    min: 0,
    max: 1,
  },
  'model-seed': {
    type: 'integer',
    value: 'N',
    about: 'the seed with which models draw tokens (default: none)',
    min: 0,
    max: MAX_SEED,
  },
  reasoning: {
    type: 'string',
    value: 'EFFORT',
    about:
      'how much models reason: none, minimal, low, medium, high, xhigh or max (default: set by the provider)',
    choices: REASONING_EFFORTS,
  },
} as const satisfies OptionDeclarations

/** Returns an empty object if no option is given. */
export const samplingOf = (options: OptionValues<typeof SAMPLING_OPTIONS>): Pick<RunSettings, 'sampling'> => {
  const { temperature, 'top-p': topP, 'model-seed': seed, reasoning } = options
  const sampling = defined({ temperature, topP, seed, reasoning })
  return Object.keys(sampling).length === 0 ? {} : { sampling }
}

/** The option for the engine of clusters. */
import { DEFAULT_ENGINE, ENGINE_NAMES } from '#spec'
import type { OptionDeclaration } from '../define-command.ts'

export const ENGINE_OPTION = {
  type: 'string',
  value: 'ENGINE',
  about: `the engine of the clusters: ${ENGINE_NAMES.join(' or ')}`,
  default: DEFAULT_ENGINE,
  choices: ENGINE_NAMES,
} as const satisfies OptionDeclaration

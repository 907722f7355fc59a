/** A command of kubectl. */
import type { FlagDefinitions } from '../client/flags.ts'
import type { ProgramCall } from '../command-context.ts'

/** Returns the exit code; throws KubectlError or the Status of the server if it fails. */
export type Verb = (program: ProgramCall, args: readonly string[]) => Promise<number>

export const SELECTION: FlagDefinitions = {
  selector: { short: 'l', type: 'string' },
  'field-selector': { type: 'string' },
  all: { type: 'bool' },
  'all-namespaces': { short: 'A', type: 'bool' },
}

export const OUTPUT: FlagDefinitions = { output: { short: 'o', type: 'string' } }

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

/** Global flags that take the next word as their value. */
const WITH_VALUE = /^(?:-n|--namespace|--request-timeout|-v)$/

/** Takes the first word that is not a flag, such as the verb or its subcommand. */
export const takeWord = (args: readonly string[]): { word: string | undefined; rest: string[] } => {
  const before: string[] = []
  const left = [...args]
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (!arg.startsWith('-')) return { word: arg, rest: [...before, ...left] }
    before.push(arg)
    if (WITH_VALUE.test(arg)) before.push(left.shift() ?? '')
  }
  return { word: undefined, rest: before }
}

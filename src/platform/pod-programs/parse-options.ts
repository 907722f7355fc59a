/** Parses the options of everyday programs as getopt does: letters can be joined, and options can follow operands. */
import type { PodProgramCall } from './pod-program.ts'

export interface ParsedOptions {
  /** The values by letter: `true` for an option without one. The last one counts. */
  readonly options: ReadonlyMap<string, string | true>
  readonly operands: readonly string[]
}

export interface OptionRules {
  /** Letters of options without a value. */
  readonly flags?: string
  /** Letters of options with a value. */
  readonly values?: string
  /** Long options, and the letters that they stand for. */
  readonly long?: Readonly<Record<string, string>>
  /** Options end at the first operand. */
  readonly stopsAtOperand?: boolean
}

/** Ends as unsupported for an option that is not listed. */
export const parseOptions = (
  call: Pick<PodProgramCall, 'args' | 'refuse'>,
  rules: OptionRules,
): ParsedOptions => {
  const { flags = '', values = '', long = {}, stopsAtOperand = false } = rules
  const options = new Map<string, string | true>()
  const operands: string[] = []
  const left = [...call.args]
  const takeValue = (rest: string): string => (rest === '' ? (left.shift() ?? call.refuse()) : rest)
  const takeLetters = (letters: string): void => {
    for (let at = 0; at < letters.length; at += 1) {
      const letter = letters[at]!
      if (flags.includes(letter)) options.set(letter, true)
      else if (values.includes(letter)) {
        options.set(letter, takeValue(letters.slice(at + 1)))
        return
      } else call.refuse()
    }
  }
  const takeLong = (text: string): void => {
    const [name = '', ...rest] = text.split('=')
    const letter = long[name]
    if (letter === undefined) call.refuse()
    else if (flags.includes(letter)) options.set(letter, true)
    else options.set(letter, rest.length > 0 ? rest.join('=') : (left.shift() ?? call.refuse()))
  }
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === '--') operands.push(...left.splice(0))
    else if (arg.startsWith('--')) takeLong(arg.slice(2))
    else if (arg.startsWith('-') && arg !== '-') takeLetters(arg.slice(1))
    else {
      operands.push(arg)
      if (stopsAtOperand) operands.push(...left.splice(0))
    }
  }
  return { options, operands }
}

/** Expands the parts of a word: parameters, substitutions and arithmetic. */
import { evaluateArithmetic } from './arithmetic.ts'
import { compilePattern, type PatternPiece } from './match-pattern.ts'
import { complain, parameterValue, type Shell, ShellExit, type Streams, setVariable } from './shell-state.ts'
import type { Script, Word, WordPart } from './syntax/script-tree.ts'
import { encodeText } from './text-bytes.ts'
import { trimPattern } from './trim-pattern.ts'

export interface Expansion {
  readonly shell: Shell
  readonly streams: Streams
  /** Runs a script and returns its output. */
  capture(script: Script): Promise<string>
}

type Parameter = Extract<WordPart, { type: 'parameter' }>

const fail = ({ shell, streams }: Expansion, message: string): never => {
  complain(shell, streams, message)
  throw new ShellExit(2)
}

const toPieces = async (word: Word, expansion: Expansion): Promise<PatternPiece[]> => {
  const pieces: PatternPiece[] = []
  for (const part of word) pieces.push({ text: await expandPart(part, expansion), isQuoted: part.isQuoted })
  return pieces
}

const readParameter = (
  name: string,
  operator: string | undefined,
  expansion: Expansion,
): string | undefined => {
  const { shell } = expansion
  const value = parameterValue(shell, name)
  const isChecked = operator === undefined || /^(?:length|#|%)/.test(operator)
  if (value === undefined && shell.refusesUnset && isChecked && !/^[@*]$/.test(name))
    fail(expansion, `${name}: parameter not set`)
  return value
}

const expandParameter = async (
  { name, operator, operand = [] }: Parameter,
  expansion: Expansion,
): Promise<string> => {
  const value = readParameter(name, operator, expansion)
  if (operator === undefined) return value ?? ''
  // dash counts bytes.
  if (operator === 'length') {
    const { isBash } = expansion.shell.port
    return String(isBash === true ? [...(value ?? '')].length : encodeText(value ?? '').length)
  }
  if (/^[#%]/.test(operator)) return trimPattern(value ?? '', operator, await toPieces(operand, expansion))
  const isMissing = value === undefined || (operator.startsWith(':') && value === '')
  if (operator.endsWith('+')) return isMissing ? '' : expandText(operand, expansion)
  if (!isMissing) return value
  const substitute = await expandText(operand, expansion)
  if (operator.endsWith('?')) fail(expansion, `${name}: ${substitute || 'parameter not set or null'}`)
  if (operator.endsWith('=')) setVariable(expansion.shell, name, substitute)
  return substitute
}

export const expandPart = async (part: WordPart, expansion: Expansion): Promise<string> => {
  if (part.type === 'text') return part.text
  if (part.type === 'substitution') return (await expansion.capture(part.script)).replace(/\n+$/, '')
  if (part.type === 'parameter') return expandParameter(part, expansion)
  const { shell } = expansion
  const expression = await expandText(part.expression, expansion)
  try {
    return evaluateArithmetic(expression, {
      get: (name) => readParameter(name, undefined, expansion),
      set: (name, value) => setVariable(shell, name, value),
    })
  } catch (error) {
    if (error instanceof ShellExit) throw error
    return fail(expansion, (error as Error).message)
  }
}

/** Expands a word that is not split, such as the value of an assignment. */
export const expandText = async (word: Word, expansion: Expansion): Promise<string> => {
  let text = ''
  for (const part of withHome(word, expansion)) text += await expandPart(part, expansion)
  return text
}

/** Expands the pattern of `case`. */
export const expandPattern = async (word: Word, expansion: Expansion): Promise<(text: string) => boolean> =>
  compilePattern(await toPieces(word, expansion))

/** Replaces `~` at the start of a word. */
export const withHome = (word: Word, { shell }: Expansion): Word => {
  const [first, ...rest] = word
  if (first?.type !== 'text' || first.isQuoted || first.text !== '~') return word
  const [next] = rest
  const isWhole = next === undefined || (next.type === 'text' && !next.isQuoted && next.text.startsWith('/'))
  const home = isWhole ? parameterValue(shell, 'HOME') : undefined
  return home === undefined ? word : [{ type: 'text', text: home, isQuoted: true }, ...rest]
}

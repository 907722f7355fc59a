/** Expands the words of a command: parameters, substitutions, arithmetic, field splitting and file names. */
import { evaluateArithmetic } from './arithmetic.ts'
import { expandNames } from './expand-names.ts'
import { compilePattern, hasPattern, type PatternPiece } from './match-pattern.ts'
import { complain, parameterValue, type Shell, ShellExit, type Streams, setVariable } from './shell-state.ts'
import type { Script, Word, WordPart } from './syntax/script-tree.ts'
import { encodeText } from './text-bytes.ts'

export interface Expansion {
  readonly shell: Shell
  readonly streams: Streams
  /** Runs a script and returns its output. */
  capture(script: Script): Promise<string>
}

type Parameter = Extract<WordPart, { type: 'parameter' }>

interface Field {
  readonly pieces: PatternPiece[]
}

const DEFAULT_SEPARATORS = ' \t\n'

const fail = ({ shell, streams }: Expansion, message: string): never => {
  complain(shell, streams, message)
  throw new ShellExit(2)
}

const toPieces = async (word: Word, expansion: Expansion): Promise<PatternPiece[]> => {
  const pieces: PatternPiece[] = []
  for (const part of word) pieces.push({ text: await expandPart(part, expansion), isQuoted: part.isQuoted })
  return pieces
}

/** Removes the shortest or longest part at one end that the pattern matches. */
const trimPattern = (value: string, operator: string, pieces: readonly PatternPiece[]): string => {
  const matches = compilePattern(pieces)
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length)
  if (operator.length === 2) lengths.reverse()
  for (const length of lengths) {
    if (operator.startsWith('#') && matches(value.slice(0, length))) return value.slice(length)
    if (operator.startsWith('%') && matches(value.slice(value.length - length)))
      return value.slice(0, value.length - length)
  }
  return value
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

const expandPart = async (part: WordPart, expansion: Expansion): Promise<string> => {
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
const withHome = (word: Word, { shell }: Expansion): Word => {
  const [first, ...rest] = word
  if (first?.type !== 'text' || first.isQuoted || first.text !== '~') return word
  const [next] = rest
  const isWhole = next === undefined || (next.type === 'text' && !next.isQuoted && next.text.startsWith('/'))
  const home = isWhole ? parameterValue(shell, 'HOME') : undefined
  return home === undefined ? word : [{ type: 'text', text: home, isQuoted: true }, ...rest]
}

/** The end of a field. */
interface FieldEnd {
  /** Whether an empty field counts. */
  readonly keepsEmpty: boolean
}

/** Splits the value of an unquoted expansion. */
const splitFields = (text: string, separators: string): (string | FieldEnd)[] => {
  const pieces: (string | FieldEnd)[] = []
  let current = ''
  for (let at = 0; at < text.length; ) {
    if (!separators.includes(text[at]!)) {
      current += text[at]
      at += 1
      continue
    }
    let hasOther = false
    const isBlank = (character: string): boolean => DEFAULT_SEPARATORS.includes(character)
    while (at < text.length && separators.includes(text[at]!)) {
      if (!isBlank(text[at]!)) {
        if (hasOther) break
        hasOther = true
      }
      at += 1
    }
    // Blanks at the start end no field; another separator ends even an empty one.
    pieces.push(current, { keepsEmpty: hasOther })
    current = ''
  }
  pieces.push(current)
  return pieces
}

class FieldList {
  readonly fields: Field[] = []
  /** Whether `"$@"` without parameters occurred: then an empty field does not count. */
  hasNoParameters = false
  #current: PatternPiece[] | undefined

  add(text: string, isQuoted: boolean): void {
    this.#current ??= []
    this.#current.push({ text, isQuoted })
  }

  /** `keepsEmpty`: an empty field counts. */
  end(keepsEmpty: boolean): void {
    const pieces = this.#current ?? []
    this.#current = undefined
    if (this.hasNoParameters && pieces.every(({ text }) => text === '')) return
    if (keepsEmpty || pieces.some(({ text, isQuoted }) => text !== '' || isQuoted))
      this.fields.push({ pieces })
  }
}

const addUnquoted = (list: FieldList, text: string, separators: string): void => {
  for (const piece of splitFields(text, separators)) {
    if (typeof piece !== 'string') list.end(piece.keepsEmpty)
    else if (piece !== '') list.add(piece, false)
  }
}

/** `"$@"` makes one field of each parameter. */
const addParameters = (list: FieldList, { parameters }: Shell): void => {
  list.hasNoParameters = parameters.length === 0
  for (const [index, parameter] of parameters.entries()) {
    if (index > 0) list.end(false)
    list.add(parameter, true)
  }
}

const joinStar = ({ parameters }: Shell, separators: string): string =>
  parameters.join(separators.slice(0, 1))

export const expandWord = async (word: Word, expansion: Expansion): Promise<string[]> => {
  const { shell } = expansion
  const separators = shell.variables.get('IFS')?.value ?? DEFAULT_SEPARATORS
  const list = new FieldList()
  for (const part of withHome(word, expansion)) {
    const isAll = part.type === 'parameter' && part.operator === undefined && /^[@*]$/.test(part.name)
    if (isAll && part.isQuoted && part.name === '@') addParameters(list, shell)
    else if (isAll && part.isQuoted) list.add(joinStar(shell, separators), true)
    else if (isAll)
      for (const [index, parameter] of shell.parameters.entries()) {
        if (index > 0) list.end(false)
        addUnquoted(list, parameter, separators)
      }
    else if (part.isQuoted || part.type === 'text') list.add(await expandPart(part, expansion), part.isQuoted)
    else addUnquoted(list, await expandPart(part, expansion), separators)
  }
  list.end(false)
  return list.fields.flatMap(({ pieces }) => {
    const text = pieces.map((piece) => piece.text).join('')
    return shell.expandsNames && hasPattern(pieces) ? expandNames(shell, pieces, text) : [text]
  })
}

/** Splits CEL source into tokens with their offsets. */

export interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'sign' | 'end'
  /** The value of a string; the source text of other tokens. */
  readonly value: string
  readonly at: number
  /** Offset after the token. */
  readonly end: number
}

/** A syntax error at the offset `at`. */
export class ExpressionSyntaxError extends Error {
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

const SPACE = /(?:\s|\/\/[^\n]*)*/y
const NUMBER = /0x[0-9a-fA-F]+|(?:\d+\.\d+|\.\d+|\d+)(?:[eE][+-]?\d+)?/y
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
const SIGN = /&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()[\]{}]/y
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '\\': '\\',
  '"': '"',
  "'": "'",
  '`': '`',
  '?': '?',
}

const matchAt = (pattern: RegExp, source: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0]
}

const readEscape = (source: string, at: number): { value: string; end: number } => {
  const character = source[at + 1]
  if (character === undefined) throw new ExpressionSyntaxError('the string is not terminated', at)
  const digits = character === 'u' ? 4 : character === 'x' ? 2 : 0
  if (digits === 0) {
    const value = ESCAPES[character]
    // A regular expression would lose its backslash: "\d" must be written "\\d" or r"\d".
    if (value === undefined)
      throw new ExpressionSyntaxError(
        `\\${character} is not a valid escape sequence: write \\\\${character}`,
        at,
      )
    return { value, end: at + 2 }
  }
  const code = source.slice(at + 2, at + 2 + digits)
  if (!/^[0-9a-fA-F]+$/.test(code) || code.length < digits)
    throw new ExpressionSyntaxError(`\\${character} needs ${digits} hexadecimal digits`, at)
  return { value: String.fromCharCode(Number.parseInt(code, 16)), end: at + 2 + digits }
}

const readText = (source: string, start: number, begin: number, isRaw: boolean): Token => {
  const quoteCharacter = source[begin] ?? ''
  const quote = source.startsWith(quoteCharacter.repeat(3), begin) ? quoteCharacter.repeat(3) : quoteCharacter
  let value = ''
  let at = begin + quote.length
  while (!source.startsWith(quote, at)) {
    const character = source[at]
    if (character === undefined || (character === '\n' && quote.length === 1))
      throw new ExpressionSyntaxError('the string is not terminated', begin)
    if (character === '\\' && !isRaw) {
      const escaped = readEscape(source, at)
      value += escaped.value
      at = escaped.end
    } else {
      value += character
      at += 1
    }
  }
  return { kind: 'text', value, at: start, end: at + quote.length }
}

/** Returns the token at or after `from`. */
export const nextToken = (source: string, from: number): Token => {
  const at = from + (matchAt(SPACE, source, from)?.length ?? 0)
  const character = source[at]
  if (character === undefined) return { kind: 'end', value: '', at, end: at }
  if (character === '"' || character === "'") return readText(source, at, at, false)
  if (/^[rR]["']/.test(source.slice(at, at + 2))) return readText(source, at, at + 1, true)
  for (const [kind, pattern] of [
    ['number', NUMBER],
    ['name', NAME],
    ['sign', SIGN],
  ] as const) {
    const value = matchAt(pattern, source, at)
    if (value !== undefined) return { kind, value, at, end: at + value.length }
  }
  throw new ExpressionSyntaxError(`"${character}" is not allowed here`, at)
}

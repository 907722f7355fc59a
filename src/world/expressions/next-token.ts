/** Splits CEL source into tokens with their offsets. */

export interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'symbol' | 'end'
  /** The value of a string; the source text of other tokens. */
  readonly value: string
  readonly offset: number
  /** The offset after the token. */
  readonly end: number
}

/** A syntax error; `offset` is its position in the source. */
export class ExpressionSyntaxError extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

const SPACE = /(?:\s|\/\/[^\n]*)*/y
const NUMBER = /0x[0-9a-fA-F]+|(?:\d+\.\d+|\.\d+|\d+)(?:[eE][+-]?\d+)?/y
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
const SYMBOL = /&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()[\]{}]/y
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

const matchAt = (pattern: RegExp, source: string, offset: number): string | undefined => {
  pattern.lastIndex = offset
  return pattern.exec(source)?.[0]
}

const readEscape = (source: string, offset: number): { value: string; end: number } => {
  const character = source[offset + 1]
  if (character === undefined) throw new ExpressionSyntaxError('the string is not terminated', offset)
  const digits = character === 'u' ? 4 : character === 'x' ? 2 : 0
  if (digits === 0) {
    const value = ESCAPES[character]
    // A regular expression would lose its backslash: "\d" must be written "\\d" or r"\d".
    if (value === undefined)
      throw new ExpressionSyntaxError(
        `\\${character} is not a valid escape sequence: write \\\\${character}`,
        offset,
      )
    return { value, end: offset + 2 }
  }
  const code = source.slice(offset + 2, offset + 2 + digits)
  if (!/^[0-9a-fA-F]+$/.test(code) || code.length < digits)
    throw new ExpressionSyntaxError(`\\${character} needs ${digits} hexadecimal digits`, offset)
  return { value: String.fromCharCode(Number.parseInt(code, 16)), end: offset + 2 + digits }
}

/** `quoteOffset` differs from `offset` for a raw string, which starts with `r`. */
const readText = (source: string, offset: number, quoteOffset: number, isRaw: boolean): Token => {
  const quoteCharacter = source[quoteOffset] ?? ''
  const tripleQuote = quoteCharacter.repeat(3)
  const quote = source.startsWith(tripleQuote, quoteOffset) ? tripleQuote : quoteCharacter
  let value = ''
  let position = quoteOffset + quote.length
  while (!source.startsWith(quote, position)) {
    const character = source[position]
    if (character === undefined || (character === '\n' && quote.length === 1))
      throw new ExpressionSyntaxError('the string is not terminated', quoteOffset)
    if (character === '\\' && !isRaw) {
      const escaped = readEscape(source, position)
      value += escaped.value
      position = escaped.end
    } else {
      value += character
      position += 1
    }
  }
  return { kind: 'text', value, offset, end: position + quote.length }
}

/** Returns the token at or after `from`. */
export const nextToken = (source: string, from: number): Token => {
  const offset = from + (matchAt(SPACE, source, from)?.length ?? 0)
  const character = source[offset]
  if (character === undefined) return { kind: 'end', value: '', offset, end: offset }
  if (character === '"' || character === "'") return readText(source, offset, offset, false)
  if (/^[rR]["']/.test(source.slice(offset, offset + 2))) return readText(source, offset, offset + 1, true)
  for (const [kind, pattern] of [
    ['number', NUMBER],
    ['name', NAME],
    ['symbol', SYMBOL],
  ] as const) {
    const value = matchAt(pattern, source, offset)
    if (value !== undefined) return { kind, value, offset, end: offset + value.length }
  }
  throw new ExpressionSyntaxError(`"${character}" is not allowed here`, offset)
}

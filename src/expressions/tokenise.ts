/** Splits CEL source into tokens, each with the column where it begins. */

export interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'sign' | 'end'
  /** Of a text what it stands for, of all else what is written. */
  readonly value: string
  readonly at: number
  /** Where the next one may begin. */
  readonly end: number
}

/** Source that is no expression; `at` is the offset of what is wrong. */
export class SyntaxFault extends Error {
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
  const letter = source[at + 1]
  if (letter === undefined) throw new SyntaxFault('the text has no end', at)
  const digits = letter === 'u' ? 4 : letter === 'x' ? 2 : 0
  if (digits === 0) {
    const value = ESCAPES[letter]
    // What is meant for a pattern would lose its backslash: "\d" is written "\\d", or r"\d".
    if (value === undefined)
      throw new SyntaxFault(`\\${letter} has no meaning in a text: write \\\\${letter}`, at)
    return { value, end: at + 2 }
  }
  const code = source.slice(at + 2, at + 2 + digits)
  if (!/^[0-9a-fA-F]+$/.test(code) || code.length < digits)
    throw new SyntaxFault(`\\${letter} needs ${digits} hexadecimal digits`, at)
  return { value: String.fromCharCode(Number.parseInt(code, 16)), end: at + 2 + digits }
}

const readText = (source: string, start: number, begin: number, raw: boolean): Token => {
  const single = source[begin] ?? ''
  const quote = source.startsWith(single.repeat(3), begin) ? single.repeat(3) : single
  let value = ''
  let at = begin + quote.length
  while (!source.startsWith(quote, at)) {
    const letter = source[at]
    if (letter === undefined || (letter === '\n' && quote.length === 1))
      throw new SyntaxFault('the text has no end', begin)
    if (letter === '\\' && !raw) {
      const escaped = readEscape(source, at)
      value += escaped.value
      at = escaped.end
    } else {
      value += letter
      at += 1
    }
  }
  return { kind: 'text', value, at: start, end: at + quote.length }
}

/** The token at or after `from`. */
export const nextToken = (source: string, from: number): Token => {
  const at = from + (matchAt(SPACE, source, from)?.length ?? 0)
  const letter = source[at]
  if (letter === undefined) return { kind: 'end', value: '', at, end: at }
  if (letter === '"' || letter === "'") return readText(source, at, at, false)
  if (/^[rR]["']/.test(source.slice(at, at + 2))) return readText(source, at, at + 1, true)
  for (const [kind, pattern] of [
    ['number', NUMBER],
    ['name', NAME],
    ['sign', SIGN],
  ] as const) {
    const value = matchAt(pattern, source, at)
    if (value !== undefined) return { kind, value, at, end: at + value.length }
  }
  throw new SyntaxFault(`"${letter}" has no meaning here`, at)
}

/** Splits MySQL statements into tokens and formats them for SQLite. */
import { syntaxError } from './mysql-error.ts'

export interface Token {
  readonly kind: 'word' | 'name' | 'string' | 'number' | 'sign' | 'parameter'
  /** For a name or a string, the text between the quotes. */
  readonly text: string
}

/** Unclosed quotes and comments extend to the end, so that matching takes linear time. */
const PATTERN =
  /\s+|--(?=\s|$)[^\n]*|#[^\n]*|\/\*!\d*|\*\/|\/\*(?!!)[\s\S]*?(?:\*\/|$)|'(?:[^'\\]+|\\[\s\S]?|'')*(?:'|$)|"(?:[^"\\]+|\\[\s\S]?|"")*(?:"|$)|`(?:[^`]+|``)*(?:`|$)|0x[0-9a-f]+|\d+(?:\.\d*)?(?:e[+-]?\d+)?(?![\w$])|\.\d+(?:e[+-]?\d+)?|@@?[\w.$`]+|[\w$\u0080-\uffff]+|<=>|<>|!=|<=|>=|:=|&&|\|\||<<|>>|[\s\S]/giy

const NUMBER = /^(0x[0-9a-f]+|\d+(\.\d*)?(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?)$/i

/** Whether a quoted token has its closing quote. */
const isClosed = (text: string): boolean => {
  const quote = text[0]!
  for (let at = 1; at < text.length; at++)
    if (text[at] === '\\' && quote !== '`') at += 1
    else if (text[at] === quote && text[at + 1] === quote) at += 1
    else if (text[at] === quote) return true
  return false
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', 0: '\0', Z: '\x1a' }

const unquote = (text: string): string => {
  const quote = text[0]!
  const content = text.slice(1, -1).replaceAll(quote + quote, quote)
  return content.replace(/\\([\s\S])/g, (whole, character: string) => {
    // These keep the backslash, for LIKE patterns.
    if (character === '%' || character === '_') return whole
    return ESCAPES[character] ?? character
  })
}

const toToken = (text: string): Token => {
  const first = text[0]!
  if (text.length > 1 && (first === "'" || first === '"')) return { kind: 'string', text: unquote(text) }
  if (text.length > 1 && first === '`') return { kind: 'name', text: text.slice(1, -1).replaceAll('``', '`') }
  if (NUMBER.test(text)) return { kind: 'number', text }
  if (/^[\w$@\u0080-\uffff]/.test(text)) return { kind: 'word', text }
  return text === '?' ? { kind: 'parameter', text } : { kind: 'sign', text }
}

/** Throws a MysqlError for an unclosed quote. */
export const tokenise = (sql: string): Token[] => {
  const parts: readonly string[] = sql.match(PATTERN) ?? []
  const last = parts.at(-1) ?? ''
  if (/^['"`]/.test(last) && !isClosed(last)) throw syntaxError(last.slice(0, 80))
  return parts.filter((text) => !/^(\s|--\s|--$|#|\/\*|\*\/)/.test(text)).map(toToken)
}

/** Splits at semicolons. */
export const splitStatements = (tokens: readonly Token[]): Token[][] => {
  const statements: Token[][] = [[]]
  for (const token of tokens)
    if (token.kind === 'sign' && token.text === ';') statements.push([])
    else statements.at(-1)!.push(token)
  return statements.filter((statement) => statement.length > 0)
}

export const isWord = (token: Token | undefined, ...words: readonly string[]): boolean =>
  token?.kind === 'word' && words.includes(token.text.toUpperCase())

export const isSign = (token: Token | undefined, sign: string): boolean =>
  token?.kind === 'sign' && token.text === sign

export const word = (text: string): Token => ({ kind: 'word', text })

export const sign = (text: string): Token => ({ kind: 'sign', text })

export const string = (text: string): Token => ({ kind: 'string', text })

/** Quotes text for SQLite, which ends literals at a zero byte. */
export const quoteText = (text: string): string =>
  text.includes('\0')
    ? `CAST(x'${Buffer.from(text).toString('hex')}' AS TEXT)`
    : `'${text.replaceAll("'", "''")}'`

/** Keywords of SQLite that are names in MySQL. */
const NAMES = /^(nothing|transaction|autoincrement|deferrable|returning|notnull)$/i

const formatToken = ({ kind, text }: Token): string => {
  if (kind === 'string') return quoteText(text)
  return kind === 'name' || (kind === 'word' && NAMES.test(text)) ? `"${text.replaceAll('"', '""')}"` : text
}

export const toSql = (tokens: readonly Token[]): string => {
  let sql = ''
  for (const [at, token] of tokens.entries()) {
    const previous = tokens[at - 1]
    const joinsPrevious =
      isSign(token, '.') ||
      isSign(previous, '.') ||
      isSign(previous, '(') ||
      isSign(token, ')') ||
      isSign(token, ',') ||
      (isSign(token, '(') && previous?.kind === 'word')
    sql += joinsPrevious || at === 0 ? formatToken(token) : ` ${formatToken(token)}`
  }
  return sql
}

/** Returns the index of the bracket that closes the one at `open`. */
export const findClosing = (tokens: readonly Token[], open: number): number => {
  let depth = 0
  for (let at = open; at < tokens.length; at++) {
    if (isSign(tokens[at], '(')) depth += 1
    if (isSign(tokens[at], ')')) depth -= 1
    if (depth === 0) return at
  }
  throw syntaxError('')
}

/** Splits at commas outside brackets. */
export const splitList = (tokens: readonly Token[]): Token[][] => {
  const parts: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (isSign(token, '(')) depth += 1
    if (isSign(token, ')')) depth -= 1
    if (depth === 0 && isSign(token, ',')) parts.push([])
    else parts.at(-1)!.push(token)
  }
  return parts
}

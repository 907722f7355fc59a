/** MySQL's SQL cut into words, and put together again as SQLite reads it. */
import { syntaxError } from './mysql-error.ts'

export interface Token {
  readonly kind: 'word' | 'name' | 'string' | 'number' | 'sign' | 'parameter'
  /** Of a name or a string what stands between the quotes. */
  readonly text: string
}

/** What is not closed goes to the end: so each letter is looked at once, whatever is sent. */
const PATTERN =
  /\s+|--(?=\s|$)[^\n]*|#[^\n]*|\/\*!\d*|\*\/|\/\*(?!!)[\s\S]*?(?:\*\/|$)|'(?:[^'\\]+|\\[\s\S]?|'')*(?:'|$)|"(?:[^"\\]+|\\[\s\S]?|"")*(?:"|$)|`(?:[^`]+|``)*(?:`|$)|0x[0-9a-f]+|\d+(?:\.\d*)?(?:e[+-]?\d+)?(?![\w$])|\.\d+(?:e[+-]?\d+)?|@@?[\w.$`]+|[\w$\u0080-\uffff]+|<=>|<>|!=|<=|>=|:=|&&|\|\||<<|>>|[\s\S]/giy

const NUMBER = /^(0x[0-9a-f]+|\d+(\.\d*)?(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?)$/i

/** Only the last word of a text can go on where it ends. */
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
  const inner = text.slice(1, -1).replaceAll(quote + quote, quote)
  return inner.replace(/\\([\s\S])/g, (whole, letter: string) => {
    // Of these the backslash stays, for the patterns of LIKE.
    if (letter === '%' || letter === '_') return whole
    return ESCAPES[letter] ?? letter
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

/** Throws a MysqlError where a quote has no end. */
export const toTokens = (sql: string): Token[] => {
  const parts: readonly string[] = sql.match(PATTERN) ?? []
  const last = parts.at(-1) ?? ''
  if (/^['"`]/.test(last) && !isClosed(last)) throw syntaxError(last.slice(0, 80))
  return parts.filter((text) => !/^(\s|--\s|--$|#|\/\*|\*\/)/.test(text)).map(toToken)
}

/** Each statement between the semicolons. */
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

/** As SQLite reads it, which ends a text at a zero. */
export const quoteText = (text: string): string =>
  text.includes('\0')
    ? `CAST(x'${Buffer.from(text).toString('hex')}' AS TEXT)`
    : `'${text.replaceAll("'", "''")}'`

/** Words of SQLite that are names in MySQL. */
const NAMES = /^(nothing|transaction|autoincrement|deferrable|returning|notnull)$/i

const show = ({ kind, text }: Token): string => {
  if (kind === 'string') return quoteText(text)
  return kind === 'name' || (kind === 'word' && NAMES.test(text)) ? `"${text.replaceAll('"', '""')}"` : text
}

export const toSql = (tokens: readonly Token[]): string => {
  let sql = ''
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1]
    const tight =
      isSign(token, '.') ||
      isSign(before, '.') ||
      isSign(before, '(') ||
      isSign(token, ')') ||
      isSign(token, ',') ||
      (isSign(token, '(') && before?.kind === 'word')
    sql += tight || at === 0 ? show(token) : ` ${show(token)}`
  }
  return sql
}

/** Where the bracket that opens at this place closes. */
export const closingOf = (tokens: readonly Token[], open: number): number => {
  let depth = 0
  for (let at = open; at < tokens.length; at++) {
    if (isSign(tokens[at], '(')) depth += 1
    if (isSign(tokens[at], ')')) depth -= 1
    if (depth === 0) return at
  }
  throw syntaxError('')
}

/** What stands between the commas that are in no bracket. */
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

/** Translates functions, variables and operators of MySQL for SQLite. */
import { findClosing, isSign, isWord, sign, string, type Token, word } from './tokens.ts'

/** The values that a statement may read from its session. */
export interface StatementContext {
  readonly user: string
  readonly database: string | undefined
  readonly connectionId: number
  readonly lastInsertId: number
  readonly version: string
  /** Returns a number in [0, 1). */
  random(): number
  /** The value of `@@name`, without its scope. */
  variable(name: string): string | number | null
}

const FUNCTIONS: Readonly<Record<string, string>> = {
  CEILING: 'ceil',
  CHAR_LENGTH: 'length',
  CHARACTER_LENGTH: 'length',
  CURDATE: 'mysql_today',
  CURRENT_DATE: 'mysql_today',
  CURRENT_TIMESTAMP: 'mysql_now',
  GREATEST: 'max',
  IF: 'iif',
  LCASE: 'lower',
  LEAST: 'min',
  LENGTH: 'octet_length',
  LOCALTIME: 'mysql_now',
  LOCALTIMESTAMP: 'mysql_now',
  NOW: 'mysql_now',
  SYSDATE: 'mysql_now',
  UCASE: 'upper',
  UNIX_TIMESTAMP: 'mysql_unix_time',
}

const OPERATORS: Readonly<Record<string, readonly Token[]>> = {
  '&&': [word('AND')],
  '||': [word('OR')],
  '<=>': [word('IS')],
  '!': [word('NOT')],
  // Division of integers returns a fraction in MySQL.
  '/': [sign('*'), { kind: 'number', text: '1.0' }, sign('/')],
}

const IGNORED_MODIFIERS = [
  'SQL_NO_CACHE',
  'SQL_CALC_FOUND_ROWS',
  'HIGH_PRIORITY',
  'LOW_PRIORITY',
  'DELAYED',
  'STRAIGHT_JOIN',
]

const toLiteral = (value: string | number | null | undefined): Token => {
  if (value === null || value === undefined) return word('NULL')
  return typeof value === 'number' ? { kind: 'number', text: String(value) } : string(value)
}

const createUuid = ({ random }: StatementContext): string =>
  'xxxxxxxx-xxxx-1xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () => Math.floor(random() * 16).toString(16))

/** Returns the value of a function that is known before the statement runs. */
const knownValue = (name: string, context: StatementContext): string | number | null | undefined => {
  switch (name) {
    case 'DATABASE':
    case 'SCHEMA':
      return context.database ?? null
    case 'USER':
    case 'CURRENT_USER':
    case 'SESSION_USER':
    case 'SYSTEM_USER':
      return context.user
    case 'VERSION':
      return context.version
    case 'CONNECTION_ID':
      return context.connectionId
    case 'LAST_INSERT_ID':
      return context.lastInsertId
    case 'UUID':
      return createUuid(context)
    case 'RAND':
      return context.random()
    default:
      return undefined
  }
}

const CASTS: Readonly<Record<string, string>> = {
  SIGNED: 'INTEGER',
  UNSIGNED: 'INTEGER',
  CHAR: 'TEXT',
  DATETIME: 'TEXT',
  DATE: 'TEXT',
  DECIMAL: 'REAL',
  BINARY: 'BLOB',
}

export interface TranslatedExpressions {
  readonly tokens: readonly Token[]
  /** Total duration of the `SLEEP` calls. */
  readonly delayMs: number
}

class Rewriter {
  readonly out: Token[] = []
  delayMs = 0
  readonly #tokens: readonly Token[]
  readonly #context: StatementContext

  constructor(tokens: readonly Token[], context: StatementContext) {
    this.#tokens = tokens
    this.#context = context
  }

  run(): void {
    for (let at = 0; at < this.#tokens.length; at = this.#translateToken(at));
  }

  /** Returns the index of the next token. */
  #translateToken(at: number): number {
    const token = this.#tokens[at]!
    const next = this.#tokens[at + 1]
    if (token.kind === 'sign') {
      this.out.push(...(OPERATORS[token.text] ?? [token]))
      return at + 1
    }
    if (token.kind !== 'word' || isSign(this.#tokens[at - 1], '.')) {
      this.out.push(token)
      return at + 1
    }
    return isSign(next, '(')
      ? this.#translateCall(at, token.text.toUpperCase())
      : this.#translateWord(at, token, next)
  }

  #translateCall(at: number, name: string): number {
    const end = findClosing(this.#tokens, at + 1)
    const value = knownValue(name, this.#context)
    if (value !== undefined) {
      this.out.push(toLiteral(value))
      return end + 1
    }
    if (name === 'SLEEP') {
      this.delayMs += Number(this.#tokens[at + 2]?.text ?? 0) * 1_000
      this.out.push(toLiteral(0))
      return end + 1
    }
    if (FUNCTIONS[name] === 'mysql_now') {
      this.out.push(word('mysql_now'), sign('('), sign(')'))
      return end + 1
    }
    this.out.push(FUNCTIONS[name] === undefined ? this.#tokens[at]! : word(FUNCTIONS[name]))
    return at + 1
  }

  #translateWord(at: number, token: Token, next: Token | undefined): number {
    const upper = token.text.toUpperCase()
    if (token.text.startsWith('@')) {
      const name = token.text.replace(/^@@((global|session|local)\.)?/i, '').replaceAll('`', '')
      this.out.push(
        token.text.startsWith('@@') ? toLiteral(this.#context.variable(name.toLowerCase())) : word('NULL'),
      )
    } else if (upper === 'AS' && next?.kind === 'word' && CASTS[next.text.toUpperCase()] !== undefined) {
      this.out.push(token, word(CASTS[next.text.toUpperCase()]!))
      const following = this.#tokens[at + 2]
      if (isSign(following, '(')) return findClosing(this.#tokens, at + 2) + 1
      return isWord(following, 'INTEGER') ? at + 3 : at + 2
    } else if (upper === 'CURRENT_TIMESTAMP' || upper === 'LOCALTIMESTAMP' || upper === 'CURRENT_DATE')
      this.out.push(word(FUNCTIONS[upper]!), sign('('), sign(')'))
    else if (upper === 'CURRENT_USER') this.out.push(string(this.#context.user))
    else if (upper === 'LIKE' && next?.kind === 'string' && next.text.includes('\\')) {
      this.out.push(token, next, word('ESCAPE'), string('\\'))
      return at + 2
    } else if (upper === 'FROM' && isWord(next, 'DUAL')) return at + 2
    // SQLite ignores the encoding of text.
    else if ((upper === 'BINARY' || /^_\w+$/.test(upper)) && next?.kind === 'string') return at + 1
    else if (!IGNORED_MODIFIERS.includes(upper)) this.out.push(token)
    return at + 1
  }
}

/** Removes `FOR UPDATE` and similar clauses: writers are serialised anyway. */
const withoutLocks = (tokens: readonly Token[]): readonly Token[] => {
  const at = tokens.findIndex(
    (token, index) =>
      (isWord(token, 'FOR') && isWord(tokens[index + 1], 'UPDATE', 'SHARE')) ||
      (isWord(token, 'LOCK') && isWord(tokens[index + 1], 'IN')),
  )
  return at < 0 ? tokens : tokens.slice(0, at)
}

export const translateExpressions = (
  tokens: readonly Token[],
  context: StatementContext,
): TranslatedExpressions => {
  const rewriter = new Rewriter(withoutLocks(tokens), context)
  rewriter.run()
  return { tokens: rewriter.out, delayMs: rewriter.delayMs }
}

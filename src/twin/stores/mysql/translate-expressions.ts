/** What MySQL writes otherwise than SQLite inside of statements: functions, variables, operators. */
import { closingOf, isSign, isWord, sign, string, type Token, word } from './tokens.ts'

/** What a statement may ask of the connection it comes from. */
export interface Asker {
  readonly user: string
  readonly database: string | undefined
  readonly connectionId: number
  readonly lastInsertId: number
  readonly version: string
  /** `@@name`, without its scope. */
  variable(name: string): string | number | null
}

const RENAMED: Readonly<Record<string, string>> = {
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

const SIGNS: Readonly<Record<string, readonly Token[]>> = {
  '&&': [word('AND')],
  '||': [word('OR')],
  '<=>': [word('IS')],
  '!': [word('NOT')],
  // A division of whole numbers has a fraction in MySQL.
  '/': [sign('*'), { kind: 'number', text: '1.0' }, sign('/')],
}

const DROPPED = [
  'SQL_NO_CACHE',
  'SQL_CALC_FOUND_ROWS',
  'HIGH_PRIORITY',
  'LOW_PRIORITY',
  'DELAYED',
  'STRAIGHT_JOIN',
]

const literal = (value: string | number | null | undefined): Token => {
  if (value === null || value === undefined) return word('NULL')
  return typeof value === 'number' ? { kind: 'number', text: String(value) } : string(value)
}

const makeUuid = (): string =>
  'xxxxxxxx-xxxx-1xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () => Math.floor(Math.random() * 16).toString(16))

/** Functions whose value is known before the statement runs. */
const knownValue = (name: string, asker: Asker): string | number | null | undefined => {
  switch (name) {
    case 'DATABASE':
    case 'SCHEMA':
      return asker.database ?? null
    case 'USER':
    case 'CURRENT_USER':
    case 'SESSION_USER':
    case 'SYSTEM_USER':
      return asker.user
    case 'VERSION':
      return asker.version
    case 'CONNECTION_ID':
      return asker.connectionId
    case 'LAST_INSERT_ID':
      return asker.lastInsertId
    case 'UUID':
      return makeUuid()
    case 'RAND':
      return Math.random()
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
  /** What `SLEEP` asks for. */
  readonly delayMs: number
}

class Rewriter {
  readonly out: Token[] = []
  delayMs = 0
  readonly #tokens: readonly Token[]
  readonly #asker: Asker

  constructor(tokens: readonly Token[], asker: Asker) {
    this.#tokens = tokens
    this.#asker = asker
  }

  run(): void {
    for (let at = 0; at < this.#tokens.length; at = this.#step(at));
  }

  /** Returns the place of the next token. */
  #step(at: number): number {
    const token = this.#tokens[at]!
    const next = this.#tokens[at + 1]
    if (token.kind === 'sign') {
      this.out.push(...(SIGNS[token.text] ?? [token]))
      return at + 1
    }
    if (token.kind !== 'word' || isSign(this.#tokens[at - 1], '.')) {
      this.out.push(token)
      return at + 1
    }
    return isSign(next, '(') ? this.#call(at, token.text.toUpperCase()) : this.#word(at, token, next)
  }

  #call(at: number, name: string): number {
    const end = closingOf(this.#tokens, at + 1)
    const value = knownValue(name, this.#asker)
    if (value !== undefined) {
      this.out.push(literal(value))
      return end + 1
    }
    if (name === 'SLEEP') {
      this.delayMs += Number(this.#tokens[at + 2]?.text ?? 0) * 1_000
      this.out.push(literal(0))
      return end + 1
    }
    if (RENAMED[name] === 'mysql_now') {
      this.out.push(word('mysql_now'), sign('('), sign(')'))
      return end + 1
    }
    this.out.push(RENAMED[name] === undefined ? this.#tokens[at]! : word(RENAMED[name]))
    return at + 1
  }

  #word(at: number, token: Token, next: Token | undefined): number {
    const upper = token.text.toUpperCase()
    if (token.text.startsWith('@')) {
      const name = token.text.replace(/^@@((global|session|local)\.)?/i, '').replaceAll('`', '')
      this.out.push(
        token.text.startsWith('@@') ? literal(this.#asker.variable(name.toLowerCase())) : word('NULL'),
      )
    } else if (upper === 'AS' && next?.kind === 'word' && CASTS[next.text.toUpperCase()] !== undefined) {
      this.out.push(token, word(CASTS[next.text.toUpperCase()]!))
      const after = this.#tokens[at + 2]
      if (isSign(after, '(')) return closingOf(this.#tokens, at + 2) + 1
      return isWord(after, 'INTEGER') ? at + 3 : at + 2
    } else if (upper === 'CURRENT_TIMESTAMP' || upper === 'LOCALTIMESTAMP' || upper === 'CURRENT_DATE')
      this.out.push(word(RENAMED[upper]!), sign('('), sign(')'))
    else if (upper === 'CURRENT_USER') this.out.push(string(this.#asker.user))
    else if (upper === 'LIKE' && next?.kind === 'string' && next.text.includes('\\')) {
      this.out.push(token, next, word('ESCAPE'), string('\\'))
      return at + 2
    } else if (upper === 'FROM' && isWord(next, 'DUAL')) return at + 2
    // How a text is encoded is not SQLite's business.
    else if ((upper === 'BINARY' || /^_\w+$/.test(upper)) && next?.kind === 'string') return at + 1
    else if (!DROPPED.includes(upper)) this.out.push(token)
    return at + 1
  }
}

/** `FOR UPDATE` and the like: all who change something take turns here anyway. */
const withoutLocks = (tokens: readonly Token[]): readonly Token[] => {
  const at = tokens.findIndex(
    (token, place) =>
      (isWord(token, 'FOR') && isWord(tokens[place + 1], 'UPDATE', 'SHARE')) ||
      (isWord(token, 'LOCK') && isWord(tokens[place + 1], 'IN')),
  )
  return at < 0 ? tokens : tokens.slice(0, at)
}

export const translateExpressions = (tokens: readonly Token[], asker: Asker): TranslatedExpressions => {
  const rewriter = new Rewriter(withoutLocks(tokens), asker)
  rewriter.run()
  return { tokens: rewriter.out, delayMs: rewriter.delayMs }
}

/** Parses account statements such as `CREATE USER` and `GRANT`, and formats grants as SQL. */
import type { Account, AccountChange } from './accounts.ts'
import { syntaxError } from './mysql-error.ts'
import { isSign, isWord, type Token } from './tokens.ts'

interface ParsedUser {
  readonly user: string
  readonly host: string
  readonly password: string | undefined
  /** Index of the next token. */
  readonly next: number
}

/** Reads a user such as `'shop'@'%' IDENTIFIED WITH mysql_native_password BY 'secret'`. */
const readUser = (tokens: readonly Token[], at: number): ParsedUser => {
  const first = tokens[at]
  if (first === undefined || first.kind === 'sign') throw syntaxError(first?.text ?? '')
  let next = at + 1
  let user = first.text
  let host = '%'
  const combined = first.kind === 'word' ? /^([^@]*)@(.+)$/.exec(first.text) : null
  if (combined) [, user, host] = combined as unknown as [string, string, string]
  else if (tokens[next]?.text === '@') {
    host = tokens[next + 1]?.text ?? '%'
    next += 2
  } else if (tokens[next]?.kind === 'word' && tokens[next]!.text.startsWith('@')) {
    host = tokens[next]!.text.slice(1)
    next += 1
  }
  if (!isWord(tokens[next], 'IDENTIFIED')) return { user, host, password: undefined, next }
  const by = tokens.findIndex((token, index) => index > next && isWord(token, 'BY', 'AS'))
  if (by < 0) return { user, host, password: '', next: next + 3 }
  const isHash = isWord(tokens[by + 1], 'PASSWORD')
  return { user, host, password: tokens[by + (isHash ? 2 : 1)]?.text ?? '', next: by + (isHash ? 3 : 2) }
}

const readUsers = (tokens: readonly Token[], from: number): ParsedUser[] => {
  const users: ParsedUser[] = []
  for (let at = from; at < tokens.length; ) {
    const user = readUser(tokens, at)
    users.push(user)
    if (!isSign(tokens[user.next], ',')) break
    at = user.next + 1
  }
  if (users.length === 0) throw syntaxError('')
  return users
}

const readPrivileges = (tokens: readonly Token[], end: number): string[] => {
  const text = tokens
    .slice(1, end)
    .map((token) => token.text.toUpperCase())
    .join(' ')
  return text
    .replaceAll(/\([^)]*\)/g, '')
    .split(',')
    .map((privilege) => privilege.trim())
    .map((privilege) => (privilege === 'ALL PRIVILEGES' ? 'ALL' : privilege))
}

/** Reads a scope such as `*.*`, `ts.*`, `ts.orders` or `*`. */
const readScope = (tokens: readonly Token[], database: string | undefined): string => {
  const text = tokens.map((token) => token.text).join('')
  return text.includes('.') ? text : `${database ?? ''}.${text}`
}

const readGrant = (tokens: readonly Token[], database: string | undefined): AccountChange[] => {
  const isGrant = isWord(tokens[0], 'GRANT')
  const on = tokens.findIndex((token) => isWord(token, 'ON'))
  const to = tokens.findLastIndex((token) => isWord(token, isGrant ? 'TO' : 'FROM'))
  if (on < 0 || to < on) throw syntaxError(tokens.at(-1)?.text ?? '')
  const privileges = readPrivileges(tokens, on)
  const scope = readScope(tokens.slice(on + 1, to), database)
  return readUsers(tokens, to + 1).flatMap(({ user, host, password }): AccountChange[] => {
    if (!isGrant) return [{ revoke: privileges, on: scope, from: { user, host } }]
    // In MySQL 5.7 a grant with a password creates the user.
    const creation: AccountChange[] =
      password === undefined
        ? []
        : [
            { create: { user, host }, password, lenient: true },
            { setPassword: { user, host }, password },
          ]
    return [...creation, { grant: privileges, on: scope, to: { user, host } }]
  })
}

const startsWithWords = (tokens: readonly Token[], ...words: readonly string[]): boolean =>
  words.every((word, at) => isWord(tokens[at], word))

/** Returns the account changes of a statement; undefined for other statements. */
export const readAccountChanges = (
  tokens: readonly Token[],
  database: string | undefined,
): AccountChange[] | undefined => {
  if (isWord(tokens[0], 'GRANT', 'REVOKE')) return readGrant(tokens, database)
  const lenient = isWord(tokens[2], 'IF')
  if (startsWithWords(tokens, 'CREATE', 'USER'))
    return readUsers(tokens, lenient ? 5 : 2).map(({ user, host, password }) => ({
      create: { user, host },
      password: password ?? '',
      lenient,
    }))
  if (startsWithWords(tokens, 'DROP', 'USER'))
    return readUsers(tokens, lenient ? 4 : 2).map(({ user, host }) => ({ drop: { user, host }, lenient }))
  if (startsWithWords(tokens, 'ALTER', 'USER'))
    return readUsers(tokens, lenient ? 4 : 2).map(({ user, host, password }) => ({
      setPassword: { user, host },
      password: password ?? '',
    }))
  if (startsWithWords(tokens, 'SET', 'PASSWORD', 'FOR')) {
    const { user, host } = readUser(tokens, 3)
    const password = tokens.findLast((token) => token.kind === 'string')?.text ?? ''
    return [{ setPassword: { user, host }, password }]
  }
  return undefined
}

/** Formats grants as `SHOW GRANTS` does. */
export const formatGrants = ({ user, host, grants }: Account): string[] => {
  const account = `'${user}'@'${host}'`
  const lines = Object.entries(grants).map(([scope, privileges]) => {
    const target = scope
      .split('.')
      .map((part) => (part === '*' ? part : `\`${part}\``))
      .join('.')
    const privilegeText = privileges.includes('ALL') ? 'ALL PRIVILEGES' : privileges.join(', ')
    return `GRANT ${privilegeText} ON ${target} TO ${account}`
  })
  return grants['*.*'] === undefined ? [`GRANT USAGE ON *.* TO ${account}`, ...lines] : lines
}

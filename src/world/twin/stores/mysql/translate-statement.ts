/** Translates a MySQL statement for SQLite, and collects its table, database and required privilege. */
import { MysqlError, syntaxError } from './mysql-error.ts'
import { findClosing, isSign, isWord, sign, splitList, type Token, toSql, word } from './tokens.ts'
import { toIndexName, toKeyColumns, translateCreateTable } from './translate-create-table.ts'
import { type StatementContext, translateExpressions } from './translate-expressions.ts'

export interface Translation {
  /** Statements for SQLite, in order. */
  readonly sql: readonly string[]
  /** The database that qualifies the table; the session's database by default. */
  readonly database: string | undefined
  readonly table: string | undefined
  /** The required privilege, such as `SELECT` or `CREATE`. */
  readonly privilege: string
  readonly writes: boolean
  readonly delayMs: number
}

const PRIVILEGES: Readonly<Record<string, string>> = {
  SELECT: 'SELECT',
  INSERT: 'INSERT',
  REPLACE: 'INSERT',
  UPDATE: 'UPDATE',
  DELETE: 'DELETE',
  TRUNCATE: 'DROP',
  CREATE: 'CREATE',
  DROP: 'DROP',
  ALTER: 'ALTER',
  RENAME: 'ALTER',
}

const indexOfWord = (tokens: readonly Token[], name: string): number => {
  let depth = 0
  return tokens.findIndex((token) => {
    if (isSign(token, '(')) depth += 1
    if (isSign(token, ')')) depth -= 1
    return depth === 0 && isWord(token, name)
  })
}

const toWords = (text: string): Token[] => text.split(' ').map(word)

/** Translates `ON DUPLICATE KEY UPDATE a = VALUES(a)`. */
const translateConflict = (tokens: readonly Token[]): Token[] => {
  const at = indexOfWord(tokens, 'DUPLICATE')
  if (at < 1) return [...tokens]
  const changes: Token[] = []
  for (let index = at + 3; index < tokens.length; index++) {
    if (isWord(tokens[index], 'VALUES') && isSign(tokens[index + 1], '(')) {
      changes.push(word('excluded'), sign('.'), tokens[index + 2]!)
      index += 3
    } else changes.push(tokens[index]!)
  }
  return [...tokens.slice(0, at - 1), ...toWords('ON CONFLICT DO UPDATE SET'), ...changes]
}

/** Translates `INSERT INTO t SET a = 1, b = 2`. */
const translateAssignments = (tokens: readonly Token[]): Token[] => {
  const at = indexOfWord(tokens, 'SET')
  if (at < 0 || indexOfWord(tokens, 'VALUES') >= 0 || indexOfWord(tokens, 'SELECT') >= 0) return [...tokens]
  const end = indexOfWord(tokens, 'ON')
  const pairs = splitList(tokens.slice(at + 1, end < 0 ? undefined : end))
  const join = (parts: readonly (readonly Token[])[]): Token[] =>
    parts.flatMap((part, index) => (index === 0 ? part : [sign(','), ...part]))
  return [
    ...tokens.slice(0, at),
    sign('('),
    ...join(pairs.map((pair) => pair.slice(0, 1))),
    sign(')'),
    word('VALUES'),
    sign('('),
    ...join(pairs.map((pair) => pair.slice(2))),
    sign(')'),
    ...(end < 0 ? [] : tokens.slice(end)),
  ]
}

const translateInsert = (tokens: readonly Token[]): Token[] => {
  const ignore = tokens.slice(1, 3).some((token) => isWord(token, 'IGNORE'))
  const start = tokens.findIndex((token, at) => at > 0 && !isWord(token, 'IGNORE', 'INTO'))
  const verb = isWord(tokens[0], 'REPLACE') ? 'REPLACE INTO' : `INSERT ${ignore ? 'OR IGNORE ' : ''}INTO`
  return translateConflict(translateAssignments([...toWords(verb), ...tokens.slice(start)]))
}

/** Translates `LIMIT`, which SQLite does not support in UPDATE and DELETE. */
const translateLimit = (tokens: readonly Token[]): Token[] => {
  if (indexOfWord(tokens, 'LIMIT') < 0) return [...tokens]
  const clauses = [indexOfWord(tokens, 'WHERE'), indexOfWord(tokens, 'ORDER'), indexOfWord(tokens, 'LIMIT')]
  const clauseStart = Math.min(...clauses.filter((index) => index >= 0))
  const table = isWord(tokens[0], 'DELETE') ? tokens[2]! : tokens[1]!
  return [
    ...tokens.slice(0, clauseStart),
    ...toWords('WHERE rowid IN'),
    sign('('),
    ...toWords('SELECT rowid FROM'),
    table,
    ...tokens.slice(clauseStart),
    sign(')'),
  ]
}

const translateCreate = (tokens: readonly Token[], context: StatementContext): string[] => {
  if (isWord(tokens[1], 'TABLE') || isWord(tokens[2], 'TABLE')) return translateCreateTable(tokens)
  const on = indexOfWord(tokens, 'ON')
  const index = indexOfWord(tokens, 'INDEX')
  if (index < 0 || on < 0) return [toSql(translateExpressions(tokens, context).tokens)]
  const table = tokens[on + 1]!
  const name = toIndexName(table.text, tokens[on - 1]!.text)
  return [toSql([...tokens.slice(0, on - 1), name, word('ON'), table, ...toKeyColumns(tokens.slice(on + 2))])]
}

const translateDrop = (tokens: readonly Token[]): string[] => {
  if (isWord(tokens[1], 'INDEX')) {
    const on = indexOfWord(tokens, 'ON')
    return [`DROP INDEX ${toSql([toIndexName(tokens[on + 1]?.text ?? '', tokens[2]?.text ?? '')])}`]
  }
  const from = isWord(tokens[2], 'IF') ? 4 : 2
  return splitList(tokens.slice(from)).map((name) => toSql([...tokens.slice(0, from), ...name.slice(0, 1)]))
}

/** Changes to column types are ignored: SQLite columns accept all values. */
const translateAlter = (tokens: readonly Token[]): string[] => {
  const table = tokens[2]
  if (table === undefined) throw syntaxError('')
  const start = toSql(tokens.slice(0, 3))
  return splitList(tokens.slice(3)).flatMap((change) => {
    const key = change.findIndex((token) => isWord(token, 'INDEX', 'KEY', 'UNIQUE'))
    if (isWord(change[0], 'MODIFY', 'CHANGE', 'ENGINE', 'COMMENT', 'AUTO_INCREMENT', 'DEFAULT', 'CHARSET'))
      return []
    if (isWord(change[0], 'ADD') && key === 1) {
      const statements = translateCreateTable([
        word('CREATE'),
        table,
        sign('('),
        ...change.slice(1),
        sign(')'),
      ])
      return statements.slice(1)
    }
    if (isWord(change[0], 'ADD') && isWord(change[1], 'CONSTRAINT', 'PRIMARY', 'FOREIGN'))
      throw new MysqlError(
        1235,
        '42000',
        "This version of MySQL doesn't yet support adding such keys to tables",
      )
    if (isWord(change[0], 'ADD')) {
      const end = change.findIndex((token, at) => at > 2 && isWord(token, 'AFTER', 'FIRST'))
      const column = change.slice(isWord(change[1], 'COLUMN') ? 2 : 1, end < 0 ? undefined : end)
      const [created] = translateCreateTable([word('CREATE'), table, sign('('), ...column, sign(')')])
      return [`${start} ADD COLUMN ${created!.slice(created!.indexOf('(') + 1, -1)}`]
    }
    return [`${start} ${toSql(change)}`]
  })
}

/** The first table of the statement. */
const tableOf = (tokens: readonly Token[]): string | undefined => {
  const at = tokens.findIndex((token) => isWord(token, 'FROM', 'INTO', 'UPDATE', 'TABLE', 'ON'))
  if (at < 0) return undefined
  const token = tokens
    .slice(at + 1)
    .find((candidate) => !isWord(candidate, 'IF', 'NOT', 'EXISTS', 'IGNORE', 'TABLE'))
  return token?.kind === 'word' || token?.kind === 'name' ? token.text : undefined
}

const translateByVerb = (
  verb: string,
  tokens: readonly Token[],
  context: StatementContext,
): { sql: string[]; delayMs: number } => {
  if (verb === 'CREATE') return { sql: translateCreate(tokens, context), delayMs: 0 }
  if (verb === 'DROP') return { sql: translateDrop(tokens), delayMs: 0 }
  if (verb === 'ALTER') return { sql: translateAlter(tokens), delayMs: 0 }
  if (verb === 'TRUNCATE') return { sql: [`DELETE FROM ${toSql(tokens.slice(-1))}`], delayMs: 0 }
  if (verb === 'RENAME')
    return {
      sql: [`ALTER TABLE ${toSql(tokens.slice(2, 3))} RENAME TO ${toSql(tokens.slice(4, 5))}`],
      delayMs: 0,
    }
  const rewritten =
    verb === 'INSERT' || verb === 'REPLACE' ? translateInsert(tokens) : translateClauses(verb, tokens)
  const translated = translateExpressions(rewritten, context)
  return { sql: [toSql(translated.tokens)], delayMs: translated.delayMs }
}

const translateClauses = (verb: string, tokens: readonly Token[]): readonly Token[] => {
  if (verb === 'UPDATE' || verb === 'DELETE') return translateLimit(tokens)
  return verb === 'SELECT' && isWord(tokens[0], 'SELECT') ? nameColumns(tokens) : tokens
}

/** Whether the item is a call or a variable without an alias: `COUNT(*)`, `@@version`. */
const needsAlias = (item: readonly Token[]): boolean =>
  item[0]?.kind === 'word' &&
  (item.length === 1
    ? item[0].text.startsWith('@@')
    : isSign(item[1], '(') && findClosing(item, 1) === item.length - 1)

/** Uses the original text of columns without an alias as their names. */
const nameColumns = (tokens: readonly Token[]): Token[] => {
  const ends = ['FROM', 'WHERE', 'LIMIT', 'ORDER', 'UNION', 'INTO', 'FOR'].map((name) =>
    indexOfWord(tokens, name),
  )
  const end = Math.min(...ends.filter((index) => index >= 0), tokens.length)
  const start = isWord(tokens[1], 'DISTINCT', 'ALL') ? 2 : 1
  const items = splitList(tokens.slice(start, end)).map((item): Token[] =>
    needsAlias(item) ? [...item, word('AS'), { kind: 'name', text: toSql(item) }] : item,
  )
  const list = items.flatMap((item, at) => (at === 0 ? item : [sign(','), ...item]))
  return [...tokens.slice(0, start), ...list, ...tokens.slice(end)]
}

/** Removes the qualifier of `db.table`, which selects the database of the statement. */
const dropQualifiers = (
  tokens: readonly Token[],
  isDatabase: (name: string) => boolean,
): { readonly tokens: Token[]; readonly database: string | undefined } => {
  let database: string | undefined
  const isQualifier = (at: number): boolean =>
    (tokens[at]?.kind === 'word' || tokens[at]?.kind === 'name') &&
    isSign(tokens[at + 1], '.') &&
    !isSign(tokens[at - 1], '.') &&
    isDatabase(tokens[at]!.text)
  const kept: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    if (!isQualifier(at)) {
      kept.push(tokens[at]!)
      continue
    }
    database ??= tokens[at]!.text
    at += 1
  }
  return { tokens: kept, database }
}

/** Whether `WITH a AS (...)` starts here. MySQL 5.7 rejects it, and recursion might not terminate. */
const isNamedQuery = (tokens: readonly Token[], at: number): boolean =>
  isWord(tokens[at], 'WITH') &&
  (isWord(tokens[at + 1], 'RECURSIVE') || isWord(tokens[at + 2], 'AS') || isSign(tokens[at + 2], '('))

/**
 * Throws a MysqlError for a syntax error. Returns undefined for statements that are not about rows or tables.
 */
export const translateStatement = (
  statement: readonly Token[],
  context: StatementContext,
  isDatabase: (name: string) => boolean,
): Translation | undefined => {
  const start = isSign(statement[0], '(') && findClosing(statement, 0) > 0 ? 1 : 0
  const verb = statement[start]?.text.toUpperCase() ?? ''
  const privilege = Object.hasOwn(PRIVILEGES, verb) ? PRIVILEGES[verb] : undefined
  if (privilege === undefined) return undefined
  const withClause = statement.findIndex((_, at) => isNamedQuery(statement, at))
  if (withClause >= 0) throw syntaxError(toSql(statement.slice(withClause)).slice(0, 80))
  const { tokens, database } = dropQualifiers(statement, isDatabase)
  return {
    ...translateByVerb(verb, tokens, context),
    database: database ?? context.database,
    table: tableOf(tokens),
    privilege: isWord(tokens[1], 'INDEX') || isWord(tokens[2], 'INDEX') ? 'INDEX' : privilege,
    writes: privilege !== 'SELECT',
  }
}

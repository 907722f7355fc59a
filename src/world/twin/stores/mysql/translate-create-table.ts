/** Translates `CREATE TABLE` for SQLite: drops unsupported options, and turns keys into indexes. */
import { syntaxError } from './mysql-error.ts'
import { findClosing, isSign, isWord, sign, splitList, type Token, toSql, word } from './tokens.ts'

const TEXT_TYPES = [
  'CHAR',
  'VARCHAR',
  'TEXT',
  'TINYTEXT',
  'MEDIUMTEXT',
  'LONGTEXT',
  'ENUM',
  'SET',
  'NVARCHAR',
]

const KEY_WORDS = [
  'KEY',
  'INDEX',
  'UNIQUE',
  'PRIMARY',
  'FULLTEXT',
  'SPATIAL',
  'CONSTRAINT',
  'FOREIGN',
  'CHECK',
]

/** Includes the table: index names are unique per database in SQLite, but per table in MySQL. */
export const toIndexName = (table: string, index: string): Token => ({
  kind: 'name',
  text: `${table}__${index}`,
})

/** Removes options that have no meaning for SQLite, with their arguments. */
const withoutIgnoredOptions = (tokens: readonly Token[]): Token[] => {
  const kept: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    if (isWord(token, 'UNSIGNED', 'ZEROFILL', 'SIGNED', 'BINARY') && at > 1) continue
    if (isWord(token, 'COMMENT', 'CHARSET')) at += 1
    else if (isWord(token, 'CHARACTER') && isWord(tokens[at + 1], 'SET')) at += 2
    else if (isWord(token, 'COLLATE')) at += 1
    else if (isWord(token, 'ON') && isWord(tokens[at + 1], 'UPDATE') && !isReferenceAction(tokens[at + 2])) {
      at += 2
      if (isSign(tokens[at + 1], '(')) at = findClosing(tokens, at + 1)
    } else kept.push(token)
  }
  return kept
}

const isReferenceAction = (token: Token | undefined): boolean =>
  isWord(token, 'CASCADE', 'SET', 'NO', 'RESTRICT')

/**
 * Translates `CURRENT_TIMESTAMP(6)` and `NOW()` to the time of the statement, so that replicas get the same
 * value.
 */
const withStatementTime = (tokens: readonly Token[]): Token[] => {
  const at = tokens.findIndex((token) => isWord(token, 'CURRENT_TIMESTAMP', 'NOW', 'LOCALTIMESTAMP'))
  if (at < 0) return [...tokens]
  const end = isSign(tokens[at + 1], '(') ? findClosing(tokens, at + 1) : at
  return [...tokens.slice(0, at), ...'( mysql_now ( ) )'.split(' ').map(sign), ...tokens.slice(end + 1)]
}

const toColumn = (tokens: readonly Token[]): Token[] => {
  const [name, type] = tokens
  if (name === undefined || type === undefined) throw syntaxError(name?.text ?? ')')
  const isAutoIncrement = tokens.some((token) => isWord(token, 'AUTO_INCREMENT'))
  // SQLite increments only columns of exactly this type.
  if (isAutoIncrement) return [name, word('INTEGER'), word('PRIMARY'), word('KEY')]
  const isBinary = tokens.some(({ text }) => /_bin$/i.test(text))
  const rest = withStatementTime(withoutIgnoredOptions(tokens))
  if (!isWord(type, ...TEXT_TYPES)) return rest
  const sizeEnd = isSign(rest[2], '(') ? findClosing(rest, 2) : 1
  const size = isWord(type, 'ENUM', 'SET') ? [word('TEXT')] : rest.slice(1, sizeEnd + 1)
  // Comparison ignores case, as in MySQL's default collation.
  const collation = isBinary ? [] : [word('COLLATE'), word('NOCASE')]
  return [name, ...size, ...collation, ...rest.slice(sizeEnd + 1)]
}

/** Returns the columns of a key such as `(a, b(10))`, without prefix lengths. */
export const toKeyColumns = (tokens: readonly Token[]): Token[] => {
  const open = tokens.findIndex((token) => isSign(token, '('))
  if (open < 0) throw syntaxError(tokens.at(-1)?.text ?? '')
  const inner = splitList(tokens.slice(open + 1, findClosing(tokens, open)))
  const columns = inner.flatMap((column, at) => [...(at > 0 ? [sign(',')] : []), column[0]!])
  return [sign('('), ...columns, sign(')')]
}

const indexNameOf = (tokens: readonly Token[], columns: readonly Token[]): string => {
  const open = tokens.findIndex((token) => isSign(token, '('))
  const name = tokens
    .slice(0, open)
    .findLast((token) => !isWord(token, ...KEY_WORDS, 'USING', 'BTREE', 'HASH'))
  return name?.text ?? columns[1]!.text
}

const isKey = (tokens: readonly Token[]): boolean => isWord(tokens[0], ...KEY_WORDS) && tokens.length > 2

interface Parts {
  readonly columns: Token[][]
  readonly constraints: Token[][]
  readonly indexes: string[]
}

/** A primary key on an auto-increment column becomes part of the column. */
const classifyKeys = (
  table: string,
  keys: readonly Token[][],
  hasAutoIncrement: boolean,
): Omit<Parts, 'columns'> => {
  const constraints: Token[][] = []
  const indexes: string[] = []
  for (const key of keys) {
    const relevant = withoutIgnoredOptions(key)
    if (relevant.some((token) => isWord(token, 'FOREIGN', 'CHECK'))) constraints.push(relevant)
    else if (relevant.some((token) => isWord(token, 'FULLTEXT', 'SPATIAL'))) continue
    else if (relevant.some((token) => isWord(token, 'PRIMARY'))) {
      if (!hasAutoIncrement) constraints.push([word('PRIMARY'), word('KEY'), ...toKeyColumns(relevant)])
    } else {
      const columns = toKeyColumns(relevant)
      const unique = relevant.some((token) => isWord(token, 'UNIQUE')) ? 'UNIQUE ' : ''
      const name = toSql([toIndexName(table, indexNameOf(relevant, columns))])
      indexes.push(
        `CREATE ${unique}INDEX IF NOT EXISTS ${name} ON ${toSql([{ kind: 'name', text: table }])} ${toSql(columns)}`,
      )
    }
  }
  return { constraints, indexes }
}

/** Returns the statements that create the table and its indexes. */
export const translateCreateTable = (tokens: readonly Token[]): string[] => {
  const open = tokens.findIndex((token) => isSign(token, '('))
  const table = tokens[open - 1]
  if (open < 0 || table === undefined) throw syntaxError(tokens.at(-1)?.text ?? '')
  const parts = splitList(tokens.slice(open + 1, findClosing(tokens, open)))
  const columns = parts.filter((part) => !isKey(part))
  const hasAutoIncrement = columns.some((column) => column.some((token) => isWord(token, 'AUTO_INCREMENT')))
  const { constraints, indexes } = classifyKeys(table.text, parts.filter(isKey), hasAutoIncrement)
  const body = [...columns.map((column) => toColumn(column)), ...constraints].map(toSql).join(', ')
  return [`${toSql(tokens.slice(0, open))} (${body})`, ...indexes]
}

/** `CREATE TABLE` as SQLite takes it: what it does not know is left out, keys become indexes of their own. */
import { syntaxError } from './mysql-error.ts'
import { closingOf, isSign, isWord, sign, splitList, type Token, toSql, word } from './tokens.ts'

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

/** Indexes of SQLite have their names in the database, those of MySQL in the table. */
export const toIndexName = (table: string, index: string): Token => ({
  kind: 'name',
  text: `${table}__${index}`,
})

/** Words that say nothing to SQLite, with how many follow them. */
const withoutDecoration = (tokens: readonly Token[]): Token[] => {
  const kept: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    if (isWord(token, 'UNSIGNED', 'ZEROFILL', 'SIGNED', 'BINARY') && at > 1) continue
    if (isWord(token, 'COMMENT', 'CHARSET')) at += 1
    else if (isWord(token, 'CHARACTER') && isWord(tokens[at + 1], 'SET')) at += 2
    else if (isWord(token, 'COLLATE')) at += 1
    else if (isWord(token, 'ON') && isWord(tokens[at + 1], 'UPDATE') && !isReference(tokens[at + 2])) {
      at += 2
      if (isSign(tokens[at + 1], '(')) at = closingOf(tokens, at + 1)
    } else kept.push(token)
  }
  return kept
}

const isReference = (token: Token | undefined): boolean => isWord(token, 'CASCADE', 'SET', 'NO', 'RESTRICT')

/** `CURRENT_TIMESTAMP(6)` and `NOW()` are the time of the statement, also when it is done again elsewhere. */
const withOwnClock = (tokens: readonly Token[]): Token[] => {
  const at = tokens.findIndex((token) => isWord(token, 'CURRENT_TIMESTAMP', 'NOW', 'LOCALTIMESTAMP'))
  if (at < 0) return [...tokens]
  const end = isSign(tokens[at + 1], '(') ? closingOf(tokens, at + 1) : at
  return [...tokens.slice(0, at), ...'( mysql_now ( ) )'.split(' ').map(sign), ...tokens.slice(end + 1)]
}

const toColumn = (tokens: readonly Token[]): Token[] => {
  const [name, type] = tokens
  if (name === undefined || type === undefined) throw syntaxError(name?.text ?? ')')
  const auto = tokens.some((token) => isWord(token, 'AUTO_INCREMENT'))
  // Only a column of this very type counts up by itself.
  if (auto) return [name, word('INTEGER'), word('PRIMARY'), word('KEY')]
  const isBinary = tokens.some(({ text }) => /_bin$/i.test(text))
  const rest = withOwnClock(withoutDecoration(tokens))
  if (!isWord(type, ...TEXT_TYPES)) return rest
  const sizeEnd = isSign(rest[2], '(') ? closingOf(rest, 2) : 1
  const size = isWord(type, 'ENUM', 'SET') ? [word('TEXT')] : rest.slice(1, sizeEnd + 1)
  // Texts are equal whatever the case of their letters, as of MySQL's default collation.
  const collation = isBinary ? [] : [word('COLLATE'), word('NOCASE')]
  return [name, ...size, ...collation, ...rest.slice(sizeEnd + 1)]
}

/** The columns of a key without the lengths of prefixes: `(a, b(10))`. */
export const toKeyColumns = (tokens: readonly Token[]): Token[] => {
  const open = tokens.findIndex((token) => isSign(token, '('))
  if (open < 0) throw syntaxError(tokens.at(-1)?.text ?? '')
  const inner = splitList(tokens.slice(open + 1, closingOf(tokens, open)))
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

/** A key of one column is that of the column where this counts up. */
const sortKeys = (table: string, keys: readonly Token[][], hasAuto: boolean): Omit<Parts, 'columns'> => {
  const constraints: Token[][] = []
  const indexes: string[] = []
  for (const key of keys) {
    const plain = withoutDecoration(key)
    if (plain.some((token) => isWord(token, 'FOREIGN', 'CHECK'))) constraints.push(plain)
    else if (plain.some((token) => isWord(token, 'FULLTEXT', 'SPATIAL'))) continue
    else if (plain.some((token) => isWord(token, 'PRIMARY'))) {
      if (!hasAuto) constraints.push([word('PRIMARY'), word('KEY'), ...toKeyColumns(plain)])
    } else {
      const columns = toKeyColumns(plain)
      const unique = plain.some((token) => isWord(token, 'UNIQUE')) ? 'UNIQUE ' : ''
      const name = toSql([toIndexName(table, indexNameOf(plain, columns))])
      indexes.push(
        `CREATE ${unique}INDEX IF NOT EXISTS ${name} ON ${toSql([{ kind: 'name', text: table }])} ${toSql(columns)}`,
      )
    }
  }
  return { constraints, indexes }
}

/** The statements that make the table and its indexes. */
export const translateCreateTable = (tokens: readonly Token[]): string[] => {
  const open = tokens.findIndex((token) => isSign(token, '('))
  const table = tokens[open - 1]
  if (open < 0 || table === undefined) throw syntaxError(tokens.at(-1)?.text ?? '')
  const parts = splitList(tokens.slice(open + 1, closingOf(tokens, open)))
  const columns = parts.filter((part) => !isKey(part))
  const hasAuto = columns.some((column) => column.some((token) => isWord(token, 'AUTO_INCREMENT')))
  const { constraints, indexes } = sortKeys(table.text, parts.filter(isKey), hasAuto)
  const body = [...columns.map((column) => toColumn(column)), ...constraints].map(toSql).join(', ')
  return [`${toSql(tokens.slice(0, open))} (${body})`, ...indexes]
}

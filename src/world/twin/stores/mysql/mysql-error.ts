/** Errors with the numbers and messages of MySQL. */

export class MysqlError extends Error {
  readonly code: number
  /** SQLSTATE of five characters. */
  readonly state: string

  constructor(code: number, state: string, message: string) {
    super(message)
    this.code = code
    this.state = state
  }
}

export const accessDenied = (user: string, host: string, withPassword: boolean): MysqlError =>
  new MysqlError(
    1045,
    '28000',
    `Access denied for user '${user}'@'${host}' (using password: ${withPassword ? 'YES' : 'NO'})`,
  )

export const databaseDenied = (user: string, host: string, database: string): MysqlError =>
  new MysqlError(1044, '42000', `Access denied for user '${user}'@'${host}' to database '${database}'`)

export const unknownDatabase = (database: string): MysqlError =>
  new MysqlError(1049, '42000', `Unknown database '${database}'`)

export const syntaxError = (near: string): MysqlError =>
  new MysqlError(
    1064,
    '42000',
    `You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '${near}' at line 1`,
  )

/** Extended result codes of SQLite. */
const SQLITE = { unique: 2067, primaryKey: 1555, rowId: 2579, notNull: 1299, foreignKey: 787 }

const toConstraintError = (code: number, message: string): MysqlError | undefined => {
  const columns = message.split(': ')[1] ?? ''
  const names = columns.split(', ').map((column) => column.split('.').at(-1)!)
  if (code === SQLITE.unique || code === SQLITE.primaryKey || code === SQLITE.rowId)
    return new MysqlError(
      1062,
      '23000',
      `Duplicate entry for key '${code === SQLITE.unique ? names.join('-') : 'PRIMARY'}'`,
    )
  if (code === SQLITE.notNull) return new MysqlError(1048, '23000', `Column '${names[0]}' cannot be null`)
  if (code === SQLITE.foreignKey)
    return new MysqlError(1452, '23000', 'Cannot add or update a child row: a foreign key constraint fails')
  return undefined
}

const TRANSLATIONS: readonly (readonly [RegExp, (match: RegExpExecArray, database: string) => MysqlError])[] =
  [
    [
      /no such table: (?:main\.)?([^\s.]+)$/,
      ([, table], database) => new MysqlError(1146, '42S02', `Table '${database}.${table}' doesn't exist`),
    ],
    [
      /no such column: "?([^\s"]+)|has no column named (\S+)/,
      ([, selected, inserted]) =>
        new MysqlError(1054, '42S22', `Unknown column '${selected ?? inserted}' in 'field list'`),
    ],
    [
      /table "?([^\s"]+)"? already exists/,
      ([, table]) => new MysqlError(1050, '42S01', `Table '${table}' already exists`),
    ],
    [
      /duplicate column name: (\S+)/,
      ([, name]) => new MysqlError(1060, '42S21', `Duplicate column name '${name}'`),
    ],
    [/near "([^"]*)": syntax error/, ([, near]) => syntaxError(near!)],
    [/unknown database (\S+)/, ([, name]) => unknownDatabase(name!)],
    [/no such table: ([^\s.]+)\.\S+/, ([, name]) => unknownDatabase(name!)],
    [/incomplete input/, () => syntaxError('')],
    [
      /no such function: (\S+)/,
      ([, name], database) => new MysqlError(1305, '42000', `FUNCTION ${database}.${name} does not exist`),
    ],
    [
      /values? for (\d+) columns|has \d+ columns but \d+ values/,
      () => new MysqlError(1136, '21S01', "Column count doesn't match value count at row 1"),
    ],
  ]

/** Converts an error of SQLite to that of MySQL. */
export const toMysqlError = (error: unknown, database: string): MysqlError => {
  if (error instanceof MysqlError) return error
  const { message, errcode } = error as Error & { errcode?: number }
  const constraint = toConstraintError(errcode ?? 0, message)
  if (constraint !== undefined) return constraint
  for (const [pattern, toError] of TRANSLATIONS) {
    const match = pattern.exec(message)
    if (match !== null) return toError(match, database)
  }
  return new MysqlError(1105, 'HY000', message)
}

const ERRNO: Readonly<Record<string, string>> = {
  ENOSPC: '28 - No space left on device',
  EIO: '5 - Input/output error',
  EFBIG: '27 - File too large',
  EROFS: '30 - Read-only file system',
  EDQUOT: '122 - Disk quota exceeded',
}

/** The error for a commit that could not be logged. */
export const toDiskError = (error: unknown): MysqlError => {
  const { code, message } = error as NodeJS.ErrnoException
  return new MysqlError(
    1026,
    'HY000',
    `Error writing file './mysql-bin.000001' (errno: ${ERRNO[code ?? ''] ?? message})`,
  )
}

export const tooManyConnections = (): MysqlError => new MysqlError(1040, '08004', 'Too many connections')

/** The `SHOW` statements, and `DESCRIBE`. */
import { formatGrants } from './account-statements.ts'
import type { Cell, Rows } from './databases.ts'
import { MysqlError, syntaxError } from './mysql-error.ts'
import type { MysqlServer, SessionInfo } from './mysql-server.ts'
import { isWord, type Token } from './tokens.ts'

const INTEGER = /^-?\d+$/

export const toTable = (names: readonly string[], rows: readonly (readonly Cell[])[]): Rows => ({
  columns: names.map((name) => ({ name, type: null })),
  rows,
})

/** Parses `LIKE 'max%'` or `WHERE Variable_name = 'port'`; matches all names by default. */
const parseFilter = (tokens: readonly Token[]): ((name: string) => boolean) => {
  const like = tokens.findIndex((token) => isWord(token, 'LIKE', 'WHERE'))
  const likePattern = like < 0 ? undefined : tokens.slice(like).find((token) => token.kind === 'string')?.text
  if (likePattern === undefined) return () => true
  const source = likePattern
    .replace(/[.*+?^${}()|[\]]/g, '\\$&')
    .replaceAll(/\\?[%_]/g, (part) => (part === '%' ? '.*' : part === '_' ? '.' : part.slice(1)))
  const pattern = new RegExp(`^${source}$`, 'i')
  return (name) => pattern.test(name)
}

const toVariableTable = (
  variables: Readonly<Record<string, string | number>>,
  filter: (name: string) => boolean,
): Rows =>
  toTable(
    ['Variable_name', 'Value'],
    Object.entries(variables)
      .filter(([name]) => filter(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, String(value)]),
  )

/** The database after `FROM` or `IN`; the session's by default. */
const databaseOf = (session: SessionInfo, tokens: readonly Token[], after = 0): string => {
  const index = tokens.findIndex((token, index) => index > after && isWord(token, 'FROM', 'IN'))
  const name = index < 0 ? session.database : tokens[index + 1]?.text
  if (name === undefined) throw new MysqlError(1046, '3D000', 'No database selected')
  return name
}

export const listProcesses = (server: MysqlServer): Cell[][] =>
  [...server.sessions.values()].map(({ id, user, host, database, statement, since }) => [
    id,
    user,
    host,
    database ?? null,
    statement === undefined ? 'Sleep' : 'Query',
    Math.floor((server.now() - since) / 1_000),
    '',
    statement ?? null,
  ])

export const PROCESS_COLUMNS = ['Id', 'User', 'Host', 'db', 'Command', 'Time', 'State', 'Info']

const showStatus = (server: MysqlServer, filter: (name: string) => boolean): Rows =>
  toVariableTable(
    {
      Aborted_connects: 0,
      Connections: Math.max(0, ...server.sessions.keys()),
      Questions: server.questions,
      Threads_connected: server.sessions.size,
      Threads_running: [...server.sessions.values()].filter(({ statement }) => statement !== undefined)
        .length,
      Uptime: Math.floor((server.now() - server.startedAt) / 1_000),
    },
    filter,
  )

const showFollower = ({ follower, storage }: MysqlServer): Rows =>
  toTable(
    [
      'Slave_IO_State',
      'Master_Host',
      'Master_User',
      'Master_Port',
      'Slave_IO_Running',
      'Slave_SQL_Running',
      'Last_IO_Error',
      'Seconds_Behind_Master',
      'Executed_Gtid_Set',
    ],
    follower === undefined
      ? []
      : [
          [
            follower.connected ? 'Waiting for master to send event' : 'Connecting to master',
            follower.leader.host,
            follower.leader.user,
            follower.leader.port,
            follower.running ? (follower.connected ? 'Yes' : 'Connecting') : 'No',
            follower.running ? 'Yes' : 'No',
            follower.lastError,
            follower.connected ? 0 : null,
            `${storage.position.chain}:1-${storage.position.n}`,
          ],
        ],
  )

const showAccountGrants = (server: MysqlServer, session: SessionInfo, tokens: readonly Token[]): Rows => {
  const index = tokens.findIndex((token) => isWord(token, 'FOR'))
  const accountName = index < 0 ? undefined : tokens[index + 1]?.text
  const [user, host] = accountName === undefined ? [session.user, undefined] : accountName.split('@')
  const hostName =
    host ??
    tokens
      .slice(index + 2)
      .findLast(({ text }) => text !== '@')
      ?.text.replace(/^@/, '')
  const account =
    accountName === undefined
      ? server.storage.accounts.find(user!, session.host)
      : server.storage.accounts.findExact(user!, hostName ?? '%')
  if (account === undefined)
    throw new MysqlError(
      1141,
      '42000',
      `There is no such grant defined for user '${user}' on host '${hostName ?? '%'}'`,
    )
  return toTable(
    [`Grants for ${account.user}@${account.host}`],
    formatGrants(account).map((line) => [line]),
  )
}

/** The columns of a table, as `DESCRIBE` lists them. */
export const describeTable = ({ storage }: MysqlServer, database: string, table: string): Rows => {
  storage.databases.definition(database, table)
  const { rows } = storage.databases.read(database, `PRAGMA table_info("${table.replaceAll('"', '""')}")`)
  return toTable(
    ['Field', 'Type', 'Null', 'Key', 'Default', 'Extra'],
    rows.map(([, name, type, notNull, defaultValue, key]) => [
      name!,
      String(type).toLowerCase(),
      notNull || key ? 'NO' : 'YES',
      key ? 'PRI' : '',
      defaultValue === null ? null : String(defaultValue),
      key && type === 'INTEGER' ? 'auto_increment' : '',
    ]),
  )
}

const showTables = (server: MysqlServer, database: string, filter: (name: string) => boolean): Rows =>
  toTable(
    [`Tables_in_${database}`],
    server.storage.databases
      .tables(database)
      .filter(filter)
      .map((name) => [name]),
  )

/** Throws a MysqlError for an unsupported statement. */
export const runShow = (server: MysqlServer, session: SessionInfo, statement: readonly Token[]): Rows => {
  const tokens = statement.filter((token) => !isWord(token, 'FULL', 'GLOBAL', 'SESSION', 'EXTENDED'))
  const filter = parseFilter(tokens)
  const { databases, position } = server.storage
  switch (tokens[1]?.text.toUpperCase()) {
    case 'DATABASES':
    case 'SCHEMAS':
      return toTable(
        ['Database'],
        ['information_schema', 'mysql', ...databases.names()].filter(filter).map((name) => [name]),
      )
    case 'TABLES':
      return showTables(server, databaseOf(session, tokens), filter)
    case 'COLUMNS':
    case 'FIELDS':
      return describeTable(
        server,
        tokens.length > 5 ? databaseOf(session, tokens, 3) : (session.database ?? ''),
        tokens[3]?.text ?? '',
      )
    case 'CREATE': {
      const table = tokens[3]?.text ?? ''
      return toTable(
        ['Table', 'Create Table'],
        [[table, databases.definition(session.database ?? '', table)]],
      )
    }
    case 'GRANTS':
      return showAccountGrants(server, session, tokens)
    case 'PROCESSLIST':
      return toTable(PROCESS_COLUMNS, listProcesses(server))
    case 'VARIABLES':
      return toVariableTable(toSwitchText(server.settings.list()), filter)
    case 'STATUS':
      return showStatus(server, filter)
    case 'SLAVE':
    case 'REPLICA':
      return showFollower(server)
    case 'MASTER':
      return toTable(
        ['File', 'Position', 'Executed_Gtid_Set'],
        [['mysql-bin.000001', position.n, position.chain]],
      )
    case 'ENGINES':
      return toTable(['Engine', 'Support'], [['InnoDB', 'DEFAULT']])
    case 'WARNINGS':
    case 'ERRORS':
      return toTable(['Level', 'Code', 'Message'], [])
    default:
      throw syntaxError(tokens[1]?.text ?? '')
  }
}

/** SHOW lists switches as ON and OFF; SELECT returns numbers. */
const toSwitchText = (settings: Readonly<Record<string, string | number>>): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) =>
      /read_only$|^autocommit$/.test(name) && INTEGER.test(String(value))
        ? [name, value === 1 ? 'ON' : 'OFF']
        : [name, value],
    ),
  )

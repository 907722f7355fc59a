/** `SHOW` in its many forms, and `DESCRIBE`. */
import { showGrants } from './account-statements.ts'
import type { Cell, Rows } from './databases.ts'
import { MysqlError, syntaxError } from './mysql-error.ts'
import type { MysqlServer, SessionInfo } from './mysql-server.ts'
import { isWord, type Token } from './tokens.ts'

const NUMBERS = /^-?\d+$/

export const toTable = (names: readonly string[], rows: readonly (readonly Cell[])[]): Rows => ({
  columns: names.map((name) => ({ name, type: null })),
  rows,
})

/** `LIKE 'max%'`, `WHERE Variable_name = 'port'`, or all. */
const makeFilter = (tokens: readonly Token[]): ((name: string) => boolean) => {
  const like = tokens.findIndex((token) => isWord(token, 'LIKE', 'WHERE'))
  const wanted = like < 0 ? undefined : tokens.slice(like).find((token) => token.kind === 'string')?.text
  if (wanted === undefined) return () => true
  const source = wanted
    .replace(/[.*+?^${}()|[\]]/g, '\\$&')
    .replaceAll(/\\?[%_]/g, (part) => (part === '%' ? '.*' : part === '_' ? '.' : part.slice(1)))
  const pattern = new RegExp(`^${source}$`, 'i')
  return (name) => pattern.test(name)
}

const toPairs = (facts: Readonly<Record<string, string | number>>, filter: (name: string) => boolean): Rows =>
  toTable(
    ['Variable_name', 'Value'],
    Object.entries(facts)
      .filter(([name]) => filter(name))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => [name, String(value)]),
  )

/** After `FROM` or `IN`, else the session's. */
const databaseOf = (session: SessionInfo, tokens: readonly Token[], after = 0): string => {
  const at = tokens.findIndex((token, place) => place > after && isWord(token, 'FROM', 'IN'))
  const name = at < 0 ? session.database : tokens[at + 1]?.text
  if (name === undefined) throw new MysqlError(1046, '3D000', 'No database selected')
  return name
}

export const processes = (server: MysqlServer): Cell[][] =>
  [...server.sessions.values()].map(({ id, user, host, database, statement, since }) => [
    id,
    user,
    host,
    database ?? null,
    statement === undefined ? 'Sleep' : 'Query',
    Math.floor((Date.now() - since) / 1_000),
    '',
    statement ?? null,
  ])

export const PROCESS_COLUMNS = ['Id', 'User', 'Host', 'db', 'Command', 'Time', 'State', 'Info']

const showStatus = (server: MysqlServer, filter: (name: string) => boolean): Rows =>
  toPairs(
    {
      Aborted_connects: 0,
      Connections: Math.max(0, ...server.sessions.keys()),
      Questions: server.questions,
      Threads_connected: server.sessions.size,
      Threads_running: [...server.sessions.values()].filter(({ statement }) => statement !== undefined)
        .length,
      Uptime: Math.floor((Date.now() - server.startedAt) / 1_000),
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
  const at = tokens.findIndex((token) => isWord(token, 'FOR'))
  const given = at < 0 ? undefined : tokens[at + 1]?.text
  const [user, host] = given === undefined ? [session.user, undefined] : given.split('@')
  const named =
    host ??
    tokens
      .slice(at + 2)
      .findLast(({ text }) => text !== '@')
      ?.text.replace(/^@/, '')
  const account =
    given === undefined
      ? server.storage.accounts.find(user!, session.host)
      : server.storage.accounts.exact(user!, named ?? '%')
  if (account === undefined)
    throw new MysqlError(
      1141,
      '42000',
      `There is no such grant defined for user '${user}' on host '${named ?? '%'}'`,
    )
  return toTable(
    [`Grants for ${account.user}@${account.host}`],
    showGrants(account).map((line) => [line]),
  )
}

/** The columns of a table, as `DESCRIBE` tells them. */
export const describeTable = ({ storage }: MysqlServer, database: string, table: string): Rows => {
  storage.databases.definition(database, table)
  const { rows } = storage.databases.read(database, `PRAGMA table_info("${table.replaceAll('"', '""')}")`)
  return toTable(
    ['Field', 'Type', 'Null', 'Key', 'Default', 'Extra'],
    rows.map(([, name, type, notNull, fallback, key]) => [
      name!,
      String(type).toLowerCase(),
      notNull || key ? 'NO' : 'YES',
      key ? 'PRI' : '',
      fallback === null ? null : String(fallback),
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

/** Throws a MysqlError where there is no such form. */
export const show = (server: MysqlServer, session: SessionInfo, given: readonly Token[]): Rows => {
  const tokens = given.filter((token) => !isWord(token, 'FULL', 'GLOBAL', 'SESSION', 'EXTENDED'))
  const filter = makeFilter(tokens)
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
      return toTable(PROCESS_COLUMNS, processes(server))
    case 'VARIABLES':
      return toPairs(toWords(server.settings.list()), filter)
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

/** Switches read as words here, and as numbers where they are selected. */
const toWords = (settings: Readonly<Record<string, string | number>>): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) =>
      /read_only$|^autocommit$/.test(name) && NUMBERS.test(String(value))
        ? [name, value === 1 ? 'ON' : 'OFF']
        : [name, value],
    ),
  )

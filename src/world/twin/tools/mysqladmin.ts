/**
 * `mysqladmin ping -uroot` checks whether a MySQL server runs; also supports `status`, `processlist` and
 * `variables`.
 */
import { openMysqlConnection } from '#world/twin/stores'
import { exitWith } from './exit/exit-with.ts'
import { type MysqlOptions, parseMysqlOptions, toConnectText } from './mysql-options/mysql-options.ts'

const STATEMENTS: Readonly<Record<string, string>> = {
  status: 'SHOW STATUS',
  processlist: 'SHOW PROCESSLIST',
  variables: 'SHOW VARIABLES',
}

const ping = async (options: MysqlOptions): Promise<string> => {
  try {
    const connection = await openMysqlConnection(options, AbortSignal.timeout(options.connectTimeoutMs))
    await connection.ping()
    connection.close()
  } catch (error) {
    // A server that rejects the login is alive.
    if ((error as { kind?: string }).kind !== 'login') throw error
  }
  return 'mysqld is alive'
}

const query = async (options: MysqlOptions, statement: string): Promise<string> => {
  const connection = await openMysqlConnection(options, AbortSignal.timeout(options.connectTimeoutMs))
  try {
    const [result] = await connection.query(statement)
    return result!.rows.map((row) => row.join('\t')).join('\n')
  } finally {
    connection.close()
  }
}

const run = async ({ words, ...rest }: MysqlOptions): Promise<string> => {
  const { database: _, ...login } = rest.login
  const options = { ...rest, login, words }
  const command = words[0] ?? ''
  const statement = STATEMENTS[command]
  if (command !== 'ping' && statement === undefined) throw new Error(`Unknown command: '${command}'`)
  return statement === undefined ? ping(options) : query(options, statement)
}

const main = async (): Promise<void> => {
  let host = 'localhost'
  try {
    const options = parseMysqlOptions(process.argv.slice(2))
    host = options.host
    exitWith(0, `${await run(options)}\n`)
  } catch (error) {
    const { text } = toConnectText(error as Error, host)
    exitWith(1, '', `mysqladmin: connect to server at '${host}' failed\nerror: '${text}'\n`)
  }
}

void main()

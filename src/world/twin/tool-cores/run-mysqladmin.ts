/** The program `mysqladmin`, apart from how it connects. */
import { type MysqlOptions, parseMysqlOptions, toConnectText } from './mysql-options.ts'
import type { MysqlSurroundings, ToolOutcome } from './tool-outcome.ts'

type Open = MysqlSurroundings['open']

const STATEMENTS: Readonly<Record<string, string>> = {
  status: 'SHOW STATUS',
  processlist: 'SHOW PROCESSLIST',
  variables: 'SHOW VARIABLES',
}

const ping = async (options: MysqlOptions, open: Open): Promise<string> => {
  try {
    const connection = await open(options)
    await connection.ping()
    connection.close()
  } catch (error) {
    // A server that rejects the login is alive.
    if ((error as { kind?: string }).kind !== 'login') throw error
  }
  return 'mysqld is alive'
}

const query = async (options: MysqlOptions, statement: string, open: Open): Promise<string> => {
  const connection = await open(options)
  try {
    const [result] = await connection.query(statement)
    return result!.rows.map((row) => row.join('\t')).join('\n')
  } finally {
    connection.close()
  }
}

const run = async ({ words, ...rest }: MysqlOptions, open: Open): Promise<string> => {
  const { database: _, ...login } = rest.login
  const options = { ...rest, login, words }
  const command = words[0] ?? ''
  const statement = STATEMENTS[command]
  if (command !== 'ping' && statement === undefined) throw new Error(`Unknown command: '${command}'`)
  return statement === undefined ? ping(options, open) : query(options, statement, open)
}

export const runMysqladmin = async (args: readonly string[], open: Open): Promise<ToolOutcome> => {
  let host = 'localhost'
  try {
    const options = parseMysqlOptions(args)
    host = options.host
    return { code: 0, out: `${await run(options, open)}\n`, err: '' }
  } catch (error) {
    const { text } = toConnectText(error as Error, host)
    return { code: 1, out: '', err: `mysqladmin: connect to server at '${host}' failed\nerror: '${text}'\n` }
  }
}

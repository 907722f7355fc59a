/**
 * `mysql -uroot -psecret -h host -P port -D database -e "SELECT 1"`; reads statements from stdin by default.
 */

import { isatty } from 'node:tty'
import { isNumeric, type MysqlConnection, MysqlError, openMysqlConnection } from '#world/twin/stores'
import { exitWith } from './exit/exit-with.ts'
import { type MysqlOptions, parseMysqlOptions, toConnectText } from './mysql-options/mysql-options.ts'

type Result = Awaited<ReturnType<MysqlConnection['query']>>[number]

const escapeCell = (cell: string): string =>
  cell.replace(/[\\\n\t\0]/g, (character) => ({ '\\': '\\\\', '\n': '\\n', '\t': '\\t' })[character] ?? '\\0')

const formatTabs = ({ columns, rows }: Result, withNames: boolean): string =>
  [...(withNames ? [columns.map(({ name }) => name)] : []), ...rows]
    .map((row) => `${row.map((cell) => (cell === null ? 'NULL' : escapeCell(cell))).join('\t')}\n`)
    .join('')

/** Aligns numbers to the right. */
const formatTable = ({ columns, rows }: Result): string => {
  const cells = rows.map((row) => row.map((cell) => cell ?? 'NULL'))
  const widths = columns.map(({ name }, at) => Math.max(name.length, ...cells.map((row) => row[at]!.length)))
  const line = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+\n`
  const pad = (cell: string, at: number): string =>
    isNumeric(columns[at]!.type) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)
  const format = (row: readonly string[]): string => `| ${row.map(pad).join(' | ')} |\n`
  return `${line}${format(columns.map(({ name }) => name))}${line}${cells.map(format).join('')}${line}`
}

const formatVertical = ({ columns, rows }: Result): string => {
  const width = Math.max(...columns.map(({ name }) => name.length))
  return rows
    .map((row, at) => {
      const cells = columns.map(({ name }, index) => `${name.padStart(width)}: ${row[index] ?? 'NULL'}\n`)
      return `*************************** ${at + 1}. row ***************************\n${cells.join('')}`
    })
    .join('')
}

const readInput = async (): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const format = (result: Result, vertical: boolean, table: boolean, names: boolean): string => {
  if (result.columns.length === 0) return ''
  if (vertical) return formatVertical(result)
  return table ? formatTable(result) : formatTabs(result, names)
}

const run = async (options: MysqlOptions): Promise<string> => {
  const connection = await openMysqlConnection(options, AbortSignal.timeout(options.connectTimeoutMs))
  const script = options.execute ?? (await readInput())
  const vertical = options.vertical || /\\G\s*;?\s*$/.test(script)
  const sql = script.replace(/\\[Gg]\s*;?\s*$/, '').trim()
  const results = sql === '' ? [] : await connection.query(sql)
  const table = options.table || isatty(1)
  return results.map((result) => format(result, vertical, table, options.names)).join('')
}

const toMessage = (error: Error, host: string): string => {
  if (error instanceof MysqlError) return `ERROR ${error.code} (${error.state}) at line 1: ${error.message}\n`
  if (error.message.startsWith('ERROR ')) return `${error.message}\n`
  const { code, text } = toConnectText(error, host)
  return `ERROR ${code}: ${text}\n`
}

const main = async (): Promise<void> => {
  let options: MysqlOptions
  try {
    options = parseMysqlOptions(process.argv.slice(2))
  } catch (error) {
    return exitWith(1, '', `mysql: [ERROR] ${(error as Error).message}\n`)
  }
  await run(options).then(
    (output) => exitWith(0, output),
    (error: Error) => exitWith(1, '', toMessage(error, options.host)),
  )
}

void main()

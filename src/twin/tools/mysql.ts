/** `mysql -uroot -psecret -h host -P port -D database -e "SELECT 1"`; statements come from the input where none is given. */

import { isatty } from 'node:tty'
import { isNumeric, type MysqlConnection, MysqlError, openMysqlConnection } from '../stores/index.ts'
import { endWith } from './ending/end-with.ts'
import { type MysqlOptions, parseMysqlOptions, toConnectText } from './mysql-options/mysql-options.ts'

type Result = Awaited<ReturnType<MysqlConnection['query']>>[number]

const toCell = (cell: string): string =>
  cell.replace(/[\\\n\t\0]/g, (letter) => ({ '\\': '\\\\', '\n': '\\n', '\t': '\\t' })[letter] ?? '\\0')

const toTabs = ({ columns, rows }: Result, withNames: boolean): string =>
  [...(withNames ? [columns.map(({ name }) => name)] : []), ...rows]
    .map((row) => `${row.map((cell) => (cell === null ? 'NULL' : toCell(cell))).join('\t')}\n`)
    .join('')

/** Numbers stand at the right. */
const toBox = ({ columns, rows }: Result): string => {
  const cells = rows.map((row) => row.map((cell) => cell ?? 'NULL'))
  const widths = columns.map(({ name }, at) => Math.max(name.length, ...cells.map((row) => row[at]!.length)))
  const line = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+\n`
  const pad = (cell: string, at: number): string =>
    isNumeric(columns[at]!.type) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)
  const show = (row: readonly string[]): string => `| ${row.map(pad).join(' | ')} |\n`
  return `${line}${show(columns.map(({ name }) => name))}${line}${cells.map(show).join('')}${line}`
}

const toLines = ({ columns, rows }: Result): string => {
  const width = Math.max(...columns.map(({ name }) => name.length))
  return rows
    .map((row, at) => {
      const cells = columns.map(({ name }, place) => `${name.padStart(width)}: ${row[place] ?? 'NULL'}\n`)
      return `*************************** ${at + 1}. row ***************************\n${cells.join('')}`
    })
    .join('')
}

const readInput = async (): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const show = (result: Result, vertical: boolean, table: boolean, names: boolean): string => {
  if (result.columns.length === 0) return ''
  if (vertical) return toLines(result)
  return table ? toBox(result) : toTabs(result, names)
}

const run = async (options: MysqlOptions): Promise<string> => {
  const connection = await openMysqlConnection(options, AbortSignal.timeout(options.connectTimeoutMs))
  const given = options.execute ?? (await readInput())
  const vertical = options.vertical || /\\G\s*;?\s*$/.test(given)
  const sql = given.replace(/\\[Gg]\s*;?\s*$/, '').trim()
  const results = sql === '' ? [] : await connection.query(sql)
  const table = options.table || isatty(1)
  return results.map((result) => show(result, vertical, table, options.names)).join('')
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
    return endWith(1, '', `mysql: [ERROR] ${(error as Error).message}\n`)
  }
  await run(options).then(
    (output) => endWith(0, output),
    (error: Error) => endWith(1, '', toMessage(error, options.host)),
  )
}

void main()

/** The program `mysql`, apart from how it connects and reads its input. */
import { isNumeric, type MysqlConnection, MysqlError } from '#world/twin/stores'
import { type MysqlOptions, parseMysqlOptions, toConnectText } from './mysql-options.ts'
import type { MysqlSurroundings, ToolOutcome } from './tool-outcome.ts'

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

const format = (result: Result, vertical: boolean, table: boolean, names: boolean): string => {
  if (result.columns.length === 0) return ''
  if (vertical) return formatVertical(result)
  return table ? formatTable(result) : formatTabs(result, names)
}

const run = async (
  options: MysqlOptions,
  { open, readInput, isTerminal }: MysqlSurroundings,
): Promise<string> => {
  const connection = await open(options)
  const script = options.execute ?? (await readInput())
  const vertical = options.vertical || /\\G\s*;?\s*$/.test(script)
  const sql = script.replace(/\\[Gg]\s*;?\s*$/, '').trim()
  const results = sql === '' ? [] : await connection.query(sql)
  const table = options.table || isTerminal
  return results.map((result) => format(result, vertical, table, options.names)).join('')
}

const toMessage = (error: Error, host: string): string => {
  if (error instanceof MysqlError) return `ERROR ${error.code} (${error.state}) at line 1: ${error.message}\n`
  if (error.message.startsWith('ERROR ')) return `${error.message}\n`
  const { code, text } = toConnectText(error, host)
  return `ERROR ${code}: ${text}\n`
}

export const runMysql = async (
  args: readonly string[],
  surroundings: MysqlSurroundings,
): Promise<ToolOutcome> => {
  let options: MysqlOptions
  try {
    options = parseMysqlOptions(args)
  } catch (error) {
    return { code: 1, out: '', err: `mysql: [ERROR] ${(error as Error).message}\n` }
  }
  return run(options, surroundings).then(
    (out) => ({ code: 0, out, err: '' }),
    (error: Error) => ({ code: 1, out: '', err: toMessage(error, options.host) }),
  )
}

/** `mysql -uroot -psecret -h host -P port -D database -e "SELECT 1"`; statements come from the input where none is given. */

import { isNumeric, type MysqlConnection, MysqlError, openMysqlConnection } from '../stores/index.ts'
import { parseMysqlOptions } from './mysql-options/mysql-options.ts'

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

const run = async (): Promise<void> => {
  const options = parseMysqlOptions(process.argv.slice(2))
  const connection = await openMysqlConnection(options, options.connectTimeoutMs)
  const given = options.execute ?? (await readInput())
  const vertical = options.vertical || /\\G\s*;?\s*$/.test(given)
  const sql = given.replace(/\\[Gg]\s*;?\s*$/, '').trim()
  try {
    for (const result of sql === '' ? [] : await connection.query(sql)) {
      if (result.columns.length === 0) continue
      if (vertical) process.stdout.write(toLines(result))
      else if (process.stdout.isTTY || options.table) process.stdout.write(toBox(result))
      else process.stdout.write(toTabs(result, options.names))
    }
  } finally {
    connection.close()
  }
}

run().catch((error: Error) => {
  const where = error instanceof MysqlError ? `ERROR ${error.code} (${error.state}) at line 1: ` : ''
  process.stderr.write(
    `${where}${/^ERROR /.test(error.message) || where ? '' : 'ERROR 2003 (HY000): '}${error.message}\n`,
  )
  process.exitCode = 1
})

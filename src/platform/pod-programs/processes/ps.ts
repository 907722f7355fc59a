/** ps: lists processes, with the columns that need no measurement. */
import type { ProgramProcess } from '#spec'
import { parseOptions } from '../parse-options.ts'
import type { PodProgram } from '../pod-program.ts'
import { toProcessName } from '../system-files.ts'

const toId = ({ id }: ProgramProcess): string => String(id)

/** Columns that need no measurement. */
const COLUMNS: Readonly<Record<string, (process: ProgramProcess) => string>> = {
  pid: toId,
  comm: ({ command }) => toProcessName(command),
  args: ({ command }) => command.join(' '),
  cmd: ({ command }) => command.join(' '),
}

const HEADINGS: Readonly<Record<string, string>> = {
  pid: 'PID',
  comm: 'COMMAND',
  args: 'COMMAND',
  cmd: 'CMD',
}

export const ps: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'eA', values: 'o' })
  const format = options.get('o') as string | undefined
  // Other columns show times and memory, which are not modelled by process.
  if (format === undefined || operands.some((each) => !/^[ax]+$/.test(each))) call.refuse()
  const columns = (format ?? '').split(',').map((each) => each.split('='))
  if (columns.some(([name = '']) => COLUMNS[name] === undefined)) call.refuse()
  const rows = call.host.processes
    .list()
    .map((process) => columns.map(([name = '']) => COLUMNS[name]!(process)))
  const headings = columns.map(([name = '', heading]) => heading ?? HEADINGS[name]!)
  const all = headings.every((heading) => heading === '') ? rows : [headings, ...rows]
  const widths = columns.map(([name], index) =>
    Math.max(name === 'pid' ? 7 : 0, ...all.map((row) => row[index]!.length)),
  )
  for (const row of all) {
    const cells = row.map((cell, index) => {
      if (columns[index]![0] === 'pid') return cell.padStart(widths[index]!)
      return index === row.length - 1 ? cell : cell.padEnd(widths[index]!)
    })
    call.out(`${cells.join(' ')}\n`)
  }
  return 0
}

/** xargs: runs a program with the words of its input. */
import { UnsupportedCommand } from '#spec'
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, ProgramFailure } from '../pod-program.ts'
import { splitLines } from '../text/lines.ts'

export const xargs: PodProgram = async (call) => {
  const { options, operands } = parseOptions(call, { flags: 'rt', values: 'nI', stopsAtOperand: true })
  const command = operands.length === 0 ? ['echo'] : operands
  const mark = options.get('I') as string | undefined
  const { input } = call.host
  if (/["'\\]/.test(input)) throw new UnsupportedCommand('xargs with quotation marks in its input')
  const words =
    mark === undefined
      ? input.split(/\s+/).filter((word) => word !== '')
      : splitLines(input).map((line) => line.trim())
  const size = mark === undefined ? Number(options.get('n') ?? Math.max(1, words.length)) : 1
  const groups: string[][] = []
  for (let at = 0; at < words.length; at += size) groups.push(words.slice(at, at + size))
  if (groups.length === 0 && !options.has('r') && mark === undefined) groups.push([])
  let code = 0
  for (const group of groups) {
    const line =
      mark === undefined ? [...command, ...group] : command.map((word) => word.replaceAll(mark, group[0]!))
    const started = call.host.processes.start({ command: line })
    if (started === undefined) throw new ProgramFailure(`${line[0]}: No such file or directory`, 127)
    if ((await started.ended) !== 0) code = 123
  }
  return code
}

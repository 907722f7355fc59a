/** sed with the commands s, d, p and q, and addresses. */
import { encodeText, writeAll } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import type { PodProgram } from '../pod-program.ts'
import { readInputs, splitLines } from './lines.ts'
import { parseSedScript } from './parse-sed-script.ts'
import type { SedCommand, SedLine } from './sed-command.ts'

const applies = (command: SedCommand, line: SedLine): boolean => {
  const { from, to } = command
  if (from === undefined) return true
  if (to === undefined) return from(line)
  if (command.isInRange) {
    command.isInRange = !to(line)
    return true
  }
  if (!from(line)) return false
  command.isInRange = true
  return true
}

const edit = (text: string, commands: readonly SedCommand[], isQuiet: boolean): string => {
  let output = ''
  const lines = splitLines(text)
  for (const [index, original] of lines.entries()) {
    const isLast = index === lines.length - 1
    const line: SedLine = { text: original, number: index + 1, isLast }
    const newline = isLast && !text.endsWith('\n') ? '' : '\n'
    let isDeleted = false
    let isEnd = false
    for (const command of commands) {
      if (!applies(command, line)) continue
      if (command.name === 's' && command.substitute!(line) && command.prints === true)
        output += `${line.text}\n`
      if (command.name === 'p') output += `${line.text}\n`
      if (command.name === 'q') isEnd = true
      if (command.name === 'd') isDeleted = true
      if (isDeleted || isEnd) break
    }
    if (!isDeleted && !isQuiet) output += line.text + newline
    if (isEnd) break
  }
  return output
}

export const sed: PodProgram = async (call) => {
  const { options, operands } = parseOptions(call, {
    flags: 'nEri',
    values: 'e',
    long: { 'in-place': 'i', quiet: 'n' },
  })
  if (call.args.filter((arg) => arg === '-e').length > 1) call.refuse()
  const left = [...operands]
  const script = (options.get('e') as string | undefined) ?? left.shift() ?? call.refuse()
  const parse = () => parseSedScript(call, script, options.has('E') || options.has('r'))
  const { texts, code } = readInputs(call, left)
  if (!options.has('i')) {
    call.out(edit(texts.map(({ text }) => text).join(''), parse(), options.has('n')))
    return code === 0 ? 0 : 2
  }
  for (const { name, text } of texts) {
    const file = await call.files.open(call.resolve(name), 'replace')
    await writeAll(file, encodeText(edit(text, parse(), options.has('n'))), 0).finally(() => file.close())
  }
  return code === 0 ? 0 : 2
}

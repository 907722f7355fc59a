/** uniq: prints each group of equal lines once. */
import { parseOptions } from '../parse-options.ts'
import type { PodProgram } from '../pod-program.ts'
import { splitLines } from './lines.ts'

export const uniq: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'cdu' })
  if (operands.length > 1) call.refuse()
  const groups: { line: string; count: number }[] = []
  for (const line of splitLines(call.readText(operands[0] ?? '-'))) {
    const last = groups.at(-1)
    if (last?.line === line) last.count += 1
    else groups.push({ line, count: 1 })
  }
  for (const { line, count } of groups) {
    if ((options.has('d') && count === 1) || (options.has('u') && count > 1)) continue
    call.out(`${options.has('c') ? `${String(count).padStart(7)} ` : ''}${line}\n`)
  }
  return 0
}

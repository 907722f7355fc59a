/** wc: counts lines, words and bytes. */
import { encodeText } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import type { PodProgram } from '../pod-program.ts'
import { readInputs } from './lines.ts'

const COUNTERS: readonly (readonly [string, (text: string) => number])[] = [
  ['l', (text) => text.split('\n').length - 1],
  ['w', (text) => text.split(/\s+/).filter((word) => word !== '').length],
  ['m', (text) => [...text].length],
  ['c', (text) => encodeText(text).length],
]

export const wc: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, {
    flags: 'lwcm',
    long: { lines: 'l', words: 'w', bytes: 'c' },
  })
  const chosen = COUNTERS.filter(([letter]) => (options.size === 0 ? letter !== 'm' : options.has(letter)))
  const { texts, code } = readInputs(call, operands)
  const rows = texts.map(({ name, text }) => ({ name, counts: chosen.map(([, count]) => count(text)) }))
  if (operands.length > 1)
    rows.push({
      name: 'total',
      counts: chosen.map((_, index) => rows.reduce((sum, { counts }) => sum + counts[index]!, 0)),
    })
  // As wide as the number of bytes of all files; 7 for the standard input.
  const total = texts.reduce((sum, { text }) => sum + encodeText(text).length, 0)
  const isSingle = chosen.length === 1 && operands.length <= 1
  const width = isSingle ? 1 : operands.length === 0 || operands.includes('-') ? 7 : String(total).length
  for (const { name, counts } of rows) {
    const label = operands.length === 0 ? '' : ` ${name}`
    call.out(`${counts.map((count) => String(count).padStart(width)).join(' ')}${label}\n`)
  }
  return code
}

/** sort: sorts lines in the locale C. */
import { encodeText } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import type { PodProgram, PodProgramCall } from '../pod-program.ts'
import { joinLines, readInputs, splitLines } from './lines.ts'

/** In the locale C, lines are sorted by their bytes. */
const byBytes = (a: string, b: string): number => Buffer.compare(encodeText(a), encodeText(b))

const numberOf = (text: string): number => Number(/^\s*-?\d*\.?\d*/.exec(text)?.[0] || 0)

const toKey = (call: PodProgramCall, spec: string | undefined, separator: string | undefined) => {
  if (spec === undefined) return (line: string) => line
  const [, first, last = ''] = /^(\d+)(?:,(\d+))?[nr]*$/.exec(spec) ?? call.refuse()
  return (line: string): string => {
    const fields = separator === undefined ? line.split(/(?<=\S)(?=\s)/) : line.split(separator)
    const end = last === '' ? undefined : Number(last)
    return fields.slice(Number(first) - 1, end).join(separator ?? '')
  }
}

export const sort: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, {
    flags: 'runf',
    values: 'kt',
    long: { reverse: 'r', unique: 'u' },
  })
  if (options.has('f')) call.refuse()
  const { texts, code } = readInputs(call, operands)
  if (code !== 0) return 2
  const spec = options.get('k') as string | undefined
  const keyOf = toKey(call, spec, options.get('t') as string | undefined)
  const isNumeric = options.has('n') || /n/.test(spec ?? '')
  const isReverse = options.has('r') || /r/.test(spec ?? '')
  const compareKeys = (a: string, b: string): number => {
    const order = isNumeric ? numberOf(keyOf(a)) - numberOf(keyOf(b)) : byBytes(keyOf(a), keyOf(b))
    return isReverse ? -order : order
  }
  const isStable = options.has('u')
  // Lines with equal keys are compared as a whole.
  const whole = (a: string, b: string): number =>
    isStable ? 0 : options.has('r') ? -byBytes(a, b) : byBytes(a, b)
  const lines = texts.flatMap(({ text }) => splitLines(text)).sort((a, b) => compareKeys(a, b) || whole(a, b))
  const kept = isStable
    ? lines.filter((line, index) => index === 0 || compareKeys(lines[index - 1]!, line) !== 0)
    : lines
  call.out(joinLines(kept))
  return 0
}

/** Functions on text and dates. */
import { ExpressionError } from '../expression-error.ts'
import { defineFunction, type ExpressionFunctions, list, number, text } from './define-function.ts'
import { toText } from './value-functions.ts'

const patterns = new Map<string, RegExp>()

const patternOf = (source: string): RegExp => {
  const existing = patterns.get(source)
  if (existing !== undefined) return existing
  try {
    const pattern = new RegExp(source, 'u')
    patterns.set(source, pattern)
    return pattern
  } catch {
    throw new ExpressionError(`matches() got "${source}", which is not a valid pattern`)
  }
}

const toIso = (name: string, value: unknown): string => {
  const date = new Date(number(name, value))
  if (Number.isNaN(date.getTime()))
    throw new ExpressionError(`${name}() got ${value}, which is not a valid time`)
  return date.toISOString()
}

const parseDate = (value: unknown): number => {
  const input = text('parseDate', value).replace(' ', 'T')
  // A time without a zone is UTC, independent of the machine.
  const zoned = /T[\d:.]+$/.test(input) ? `${input}Z` : input
  const time = Date.parse(zoned)
  if (Number.isNaN(time))
    throw new ExpressionError(`parseDate() got "${String(value)}", which is not a valid date`)
  return time
}

export const TEXT_FUNCTIONS: ExpressionFunctions = {
  startsWith: defineFunction(2, (value, part) =>
    text('startsWith', value).startsWith(text('startsWith', part)),
  ),
  endsWith: defineFunction(2, (value, part) => text('endsWith', value).endsWith(text('endsWith', part))),
  matches: defineFunction(2, (value, pattern) =>
    patternOf(text('matches', pattern)).test(text('matches', value)),
  ),
  join: defineFunction(
    1,
    (items, separator = '') => list('join', items).map(toText).join(text('join', separator)),
    2,
  ),
  split: defineFunction(2, (value, separator) => text('split', value).split(text('split', separator))),
  lower: defineFunction(1, (value) => text('lower', value).toLowerCase()),
  upper: defineFunction(1, (value) => text('upper', value).toUpperCase()),
  trim: defineFunction(1, (value) => text('trim', value).trim()),
  replace: defineFunction(3, (value, part, replacement) =>
    text('replace', value).replaceAll(text('replace', part), text('replace', replacement)),
  ),
  urlEncode: defineFunction(1, (value) => encodeURIComponent(toText(value))),
  /** `2026-01-31` */
  date: defineFunction(1, (time) => toIso('date', time).slice(0, 10)),
  /** `2026-01-31 12:00:00` */
  dateTime: defineFunction(1, (time) => toIso('dateTime', time).slice(0, 19).replace('T', ' ')),
  /** `2026-01-31T12:00:00.000Z` */
  isoTime: defineFunction(1, (time) => toIso('isoTime', time)),
  parseDate: defineFunction(1, parseDate),
}

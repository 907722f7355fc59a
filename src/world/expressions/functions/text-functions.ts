/** Functions on text and dates. */
import { ExpressionError } from '../expression-error.ts'
import { asList, asNumber, asText, defineFunction, type ExpressionFunctions } from './define-function.ts'
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
  const date = new Date(asNumber(name, value))
  if (Number.isNaN(date.getTime()))
    throw new ExpressionError(`${name}() got ${value}, which is not a valid time`)
  return date.toISOString()
}

const parseDate = (value: unknown): number => {
  const input = asText('parseDate', value).replace(' ', 'T')
  // A time without a zone is UTC, regardless of the machine's time zone.
  const zoned = /T[\d:.]+$/.test(input) ? `${input}Z` : input
  const time = Date.parse(zoned)
  if (Number.isNaN(time))
    throw new ExpressionError(`parseDate() got "${String(value)}", which is not a valid date`)
  return time
}

export const TEXT_FUNCTIONS: ExpressionFunctions = {
  startsWith: defineFunction(2, (value, part) =>
    asText('startsWith', value).startsWith(asText('startsWith', part)),
  ),
  endsWith: defineFunction(2, (value, part) => asText('endsWith', value).endsWith(asText('endsWith', part))),
  matches: defineFunction(2, (value, pattern) =>
    patternOf(asText('matches', pattern)).test(asText('matches', value)),
  ),
  join: defineFunction(
    1,
    (items, separator = '') => asList('join', items).map(toText).join(asText('join', separator)),
    2,
  ),
  split: defineFunction(2, (value, separator) => asText('split', value).split(asText('split', separator))),
  lower: defineFunction(1, (value) => asText('lower', value).toLowerCase()),
  upper: defineFunction(1, (value) => asText('upper', value).toUpperCase()),
  trim: defineFunction(1, (value) => asText('trim', value).trim()),
  replace: defineFunction(3, (value, part, replacement) =>
    asText('replace', value).replaceAll(asText('replace', part), asText('replace', replacement)),
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

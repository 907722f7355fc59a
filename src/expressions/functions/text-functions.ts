/** Functions on text and dates. */
import { ExpressionError } from '../expression-error.ts'
import { defineFunction, type ExpressionFunctions, list, number, text } from './define-function.ts'
import { toText } from './value-functions.ts'

const patterns = new Map<string, RegExp>()

const patternOf = (source: string): RegExp => {
  const known = patterns.get(source)
  if (known !== undefined) return known
  try {
    const pattern = new RegExp(source, 'u')
    patterns.set(source, pattern)
    return pattern
  } catch {
    throw new ExpressionError(`matches() got "${source}", which is no pattern`)
  }
}

const toIso = (name: string, value: unknown): string => {
  const date = new Date(number(name, value))
  if (Number.isNaN(date.getTime())) throw new ExpressionError(`${name}() got ${value}, which is no time`)
  return date.toISOString()
}

const parseDate = (value: unknown): number => {
  const written = text('parseDate', value).replace(' ', 'T')
  // A date and time without a zone is UTC here, whatever the zone of the machine is.
  const zoned = /T[\d:.]+$/.test(written) ? `${written}Z` : written
  const time = Date.parse(zoned)
  if (Number.isNaN(time)) throw new ExpressionError(`parseDate() got "${String(value)}", which is no date`)
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
    (items, between = '') => list('join', items).map(toText).join(text('join', between)),
    2,
  ),
  split: defineFunction(2, (value, between) => text('split', value).split(text('split', between))),
  lower: defineFunction(1, (value) => text('lower', value).toLowerCase()),
  upper: defineFunction(1, (value) => text('upper', value).toUpperCase()),
  trim: defineFunction(1, (value) => text('trim', value).trim()),
  replace: defineFunction(3, (value, part, by) =>
    text('replace', value).replaceAll(text('replace', part), text('replace', by)),
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

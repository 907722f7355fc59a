/** Parses times as `datetime.strptime` does, for formats without time zones and weeks. */
import { UnsupportedTemplate } from '../template-error.ts'
import { type DateFields, DateTime } from './date-time.ts'
import { MONTHS } from './format-time.ts'
import { valueError } from './python-error.ts'
import { reprText } from './repr.ts'

const NAMES = MONTHS.map((month) => month.toLowerCase())

/** The patterns of Python's directives; the order of alternatives matters. */
const PATTERNS: Readonly<Record<string, string>> = {
  d: '(?<d>3[0-1]|[1-2]\\d|0[1-9]|[1-9]| [1-9])',
  f: '(?<f>[0-9]{1,6})',
  H: '(?<H>2[0-3]|[0-1]\\d|\\d)',
  I: '(?<I>1[0-2]|0[1-9]|[1-9])',
  m: '(?<m>1[0-2]|0[1-9]|[1-9])',
  M: '(?<M>[0-5]\\d|\\d)',
  S: '(?<S>6[0-1]|[0-5]\\d|\\d)',
  y: '(?<y>\\d\\d)',
  Y: '(?<Y>\\d\\d\\d\\d)',
  b: `(?<b>${NAMES.map((name) => name.slice(0, 3)).join('|')})`,
  B: `(?<B>${[...NAMES].sort((a, b) => b.length - a.length).join('|')})`,
  p: '(?<p>am|pm)',
  '%': '%',
}

const compile = (format: string): RegExp => {
  const seen = new Set<string>()
  const source = format.replace(/%(.?)|\s+|[\\^$.|?*+()[\]{}]/gs, (all, letter: string | undefined) => {
    if (letter === undefined) return /^\s/.test(all) ? '\\s+' : `\\${all}`
    const pattern = PATTERNS[letter]
    if (pattern === undefined || (seen.has(letter) && letter !== '%'))
      throw new UnsupportedTemplate(`the directive %${letter} of to_datetime`)
    seen.add(letter)
    return pattern
  })
  return new RegExp(`^${source}`, 'i')
}

const hourOf = (groups: Readonly<Record<string, string>>): number => {
  if (groups.I === undefined) return Number(groups.H ?? 0)
  const hour = Number(groups.I) % 12
  return (groups.p ?? 'am').toLowerCase() === 'pm' ? hour + 12 : hour
}

const yearOf = (groups: Readonly<Record<string, string>>): number => {
  if (groups.Y !== undefined) return Number(groups.Y)
  if (groups.y === undefined) return 1900
  return Number(groups.y) + (Number(groups.y) <= 68 ? 2000 : 1900)
}

const monthOf = (groups: Readonly<Record<string, string>>): number => {
  const name = (groups.b ?? groups.B)?.toLowerCase()
  return name === undefined
    ? Number(groups.m ?? 1)
    : NAMES.findIndex((month) => month.startsWith(name.slice(0, 3))) + 1
}

export const parseTime = (text: string, format: string): DateTime => {
  const match = compile(format).exec(text)
  if (match === null)
    throw valueError(`time data ${reprText(text)} does not match format ${reprText(format)}`)
  if (match[0].length !== text.length)
    throw valueError(`unconverted data remains: ${text.slice(match[0].length)}`)
  const groups = (match.groups ?? {}) as Record<string, string>
  const fields: DateFields = {
    year: yearOf(groups),
    month: monthOf(groups),
    day: Number(groups.d ?? 1),
    hour: hourOf(groups),
    minute: Number(groups.M ?? 0),
    second: Number(groups.S ?? 0),
    microsecond: Number((groups.f ?? '0').padEnd(6, '0')),
  }
  if (fields.second > 59) throw new UnsupportedTemplate('leap seconds')
  const date = DateTime.of(fields)
  if (date.fields.day !== fields.day) throw valueError('day is out of range for month')
  return date
}

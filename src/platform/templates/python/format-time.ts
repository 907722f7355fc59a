/** Formats times as `strftime` does in the C locale. */
import { UnsupportedTemplate } from '../template-error.ts'
import { spendText } from '../work.ts'
import type { DateTime } from './date-time.ts'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
export const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

interface Moment {
  readonly at: DateTime
  readonly weekday: number
  /** The day of the year, from 0. */
  readonly yearDay: number
  /** The text of `%Z`. */
  readonly zone: string
  /** Whether the format has `%f`, which `time.strftime` does not replace. */
  readonly hasFraction: boolean
}

const DAY_MS = 86_400_000

const momentOf = (at: DateTime, options: { zone: string; hasFraction: boolean }): Moment => {
  const { year, month, day } = at.fields
  const midnight = Date.UTC(year, month - 1, day)
  return {
    at,
    weekday: new Date(midnight).getUTCDay(),
    yearDay: Math.round((midnight - Date.UTC(year, 0, 1)) / DAY_MS),
    ...options,
  }
}

/** The year and the week of ISO 8601: weeks begin on Monday, and week 1 contains the first Thursday. */
const isoWeek = ({ at, weekday }: Moment): { year: number; week: number } => {
  const { year, month, day } = at.fields
  const thursday = new Date(Date.UTC(year, month - 1, day + 4 - (weekday || 7)))
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1)
  return { year: thursday.getUTCFullYear(), week: Math.floor((thursday.getTime() - first) / DAY_MS / 7) + 1 }
}

/** A number with its width, and the character that fills it. */
type Field = readonly [value: number, width: number, fill: string]

const twelve = (hour: number): number => hour % 12 || 12

const NUMBERS: Readonly<Record<string, (moment: Moment) => Field>> = {
  C: ({ at }) => [Math.floor(at.fields.year / 100), 2, '0'],
  d: ({ at }) => [at.fields.day, 2, '0'],
  e: ({ at }) => [at.fields.day, 2, ' '],
  G: (moment) => [isoWeek(moment).year, 4, '0'],
  g: (moment) => [isoWeek(moment).year % 100, 2, '0'],
  H: ({ at }) => [at.fields.hour, 2, '0'],
  I: ({ at }) => [twelve(at.fields.hour), 2, '0'],
  j: ({ yearDay }) => [yearDay + 1, 3, '0'],
  k: ({ at }) => [at.fields.hour, 2, ' '],
  l: ({ at }) => [twelve(at.fields.hour), 2, ' '],
  m: ({ at }) => [at.fields.month, 2, '0'],
  M: ({ at }) => [at.fields.minute, 2, '0'],
  s: ({ at }) => [Math.floor(at.microseconds / 1_000_000), 1, '0'],
  S: ({ at }) => [at.fields.second, 2, '0'],
  u: ({ weekday }) => [weekday || 7, 1, '0'],
  U: ({ yearDay, weekday }) => [Math.floor((yearDay + 7 - weekday) / 7), 2, '0'],
  V: (moment) => [isoWeek(moment).week, 2, '0'],
  w: ({ weekday }) => [weekday, 1, '0'],
  W: ({ yearDay, weekday }) => [Math.floor((yearDay + 7 - ((weekday + 6) % 7)) / 7), 2, '0'],
  y: ({ at }) => [at.fields.year % 100, 2, '0'],
  Y: ({ at }) => [at.fields.year, 1, '0'],
}

const TEXTS: Readonly<Record<string, (moment: Moment) => string>> = {
  '%': () => '%',
  a: ({ weekday }) => DAYS[weekday]!.slice(0, 3),
  A: ({ weekday }) => DAYS[weekday]!,
  b: ({ at }) => MONTHS[at.fields.month - 1]!.slice(0, 3),
  B: ({ at }) => MONTHS[at.fields.month - 1]!,
  f: ({ at, hasFraction }) => (hasFraction ? String(at.fields.microsecond).padStart(6, '0') : '%f'),
  h: ({ at }) => MONTHS[at.fields.month - 1]!.slice(0, 3),
  n: () => '\n',
  p: ({ at }) => (at.fields.hour < 12 ? 'AM' : 'PM'),
  P: ({ at }) => (at.fields.hour < 12 ? 'am' : 'pm'),
  t: () => '\t',
  z: ({ zone }) => (zone === '' ? '' : '+0000'),
  Z: ({ zone }) => zone,
}

/** Directives that abbreviate others. */
const SHORTHANDS: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  r: '%I:%M:%S %p',
  R: '%H:%M',
  T: '%H:%M:%S',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
}

const expand = (moment: Moment, flag: string, letter: string): string => {
  const number = NUMBERS[letter]
  if (number !== undefined) {
    const [value, width, fill] = number(moment)
    if (flag === '-') return String(value)
    return String(value).padStart(width, flag === '_' ? ' ' : flag === '0' ? '0' : fill)
  }
  const text = flag === '' ? TEXTS[letter] : undefined
  if (text === undefined) throw new UnsupportedTemplate(`the directive %${flag}${letter} of strftime`)
  return text(moment)
}

/** `zone` is empty for a datetime without a time zone. */
export const formatTime = (
  format: string,
  at: DateTime,
  options: { zone: string; hasFraction: boolean },
): string => {
  if (format.includes('\0')) throw new UnsupportedTemplate('NUL in the format of strftime')
  const moment = momentOf(at, options)
  const long = format.replace(/%%|%([cDFrRTxX])/g, (all, letter) => SHORTHANDS[letter as string] ?? all)
  if (/%[^a-zA-Z%_0-]|%$|%[-_0]$/.test(long.replaceAll('%%', '')))
    throw new UnsupportedTemplate('incomplete directives of strftime')
  const text = long.replace(/%([-_0]?)([a-zA-Z%])/g, (_, flag, letter) => expand(moment, flag, letter))
  spendText(text.length)
  return text
}

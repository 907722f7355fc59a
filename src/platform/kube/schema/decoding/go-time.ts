/** Parses timestamps as Go's time.Parse does, with its error messages. */
import { DecodeFailure } from './decode-failure.ts'

const TIMESTAMP =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/

/** The elements of the layout in order, each with the pattern that it accepts. */
const ELEMENTS: readonly (readonly [
  layout: string,
  accepts: RegExp,
  unit?: string,
  from?: number,
  to?: number,
])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/, 'month', 1, 12],
  ['-', /^-/],
  ['02', /^\d\d/],
  ['T', /^T/],
  ['15', /^\d\d/, 'hour', 0, 23],
  [':', /^:/],
  ['04', /^\d\d/, 'minute', 0, 59],
  [':', /^:/],
  ['05', /^\d\d/, 'second', 0, 59],
]

const ZONE = ['Z07:00', /^(?:Z|[+-]\d\d:\d\d)/] as const
const SECONDS = [...ELEMENTS, ['', /^(?:[.,]\d+)?/] as const, ZONE]
const MICROSECONDS = [...ELEMENTS, ['.000000', /^[.,]\d{6}/] as const, ZONE]

const explainFailure = (text: string, microseconds: boolean): string => {
  const elements = microseconds ? MICROSECONDS : SECONDS
  const layout = elements.map(([part]) => part).join('')
  let rest = text
  for (const [part, accepts, unit, from = 0, to = 0] of elements) {
    const match = accepts.exec(rest)?.[0]
    if (match === undefined) {
      return `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(part)}`
    }
    if (unit !== undefined && (Number(match) < from || Number(match) > to)) {
      return `parsing time ${JSON.stringify(text)}: ${unit} out of range`
    }
    rest = rest.slice(match.length)
  }
  return rest === ''
    ? `parsing time ${JSON.stringify(text)}: day out of range`
    : `parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`
}

/** Returns the time in UTC, with or without six decimals; undefined for Go's zero time, which JSON writes as null. */
export const readGoTime = (text: string, microseconds: boolean): string | undefined => {
  const match = TIMESTAMP.exec(text)
  if (match === null) throw new DecodeFailure(explainFailure(text, microseconds))
  const [, year, month, day, hour, minute, second, fraction = '', sign, zoneHour, zoneMinute] = match
  if (microseconds && fraction.length !== 6) throw new DecodeFailure(explainFailure(text, true))
  const offset =
    sign === undefined ? 0 : (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1)
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day))
    throw new DecodeFailure(explainFailure(text, microseconds))
  const utc = offset === 0 ? date : new Date(date.getTime() - offset * 60_000)
  const timestamp = utc.toISOString().slice(0, 19)
  if (timestamp === '0001-01-01T00:00:00' && Number(fraction) === 0) return undefined
  return microseconds ? `${timestamp}.${fraction}Z` : `${timestamp}Z`
}

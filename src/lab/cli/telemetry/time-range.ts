/** Parses the ends of a time range: each is a time, or a duration before the last signal. */
import { RemediumError, type TimeRange } from '#spec'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

const toTime = (option: string, text: string, last: number): number => {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
  if (number !== undefined) return last - Number(number) * UNITS[unit!]!
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new RemediumError(
    'bad-argument',
    `--${option} must be a time such as 2026-11-15T09:30:00Z or a duration such as 30s or 5m, but "${text}" was given.`,
  )
}

/** Returns undefined if neither option is given. `extent` is the range of all signals. */
export const parseTimeRange = (
  { from, to }: { from?: string | undefined; to?: string | undefined },
  extent: TimeRange,
): TimeRange | undefined => {
  if (from === undefined && to === undefined) return undefined
  const range = {
    from: from === undefined ? extent.from : toTime('from', from, extent.to),
    to: to === undefined ? extent.to : toTime('to', to, extent.to),
  }
  if (range.from < range.to) return range
  throw new RemediumError('bad-argument', '--from must be before --to.')
}

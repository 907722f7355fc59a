/** Parses the schedule of a CronJob: five fields, a macro such as `@hourly`, or `@every 1h30m`. */
import { Cron } from 'croner'

export interface Schedule {
  /** Returns the first start time after `time`, in milliseconds since the epoch. */
  next(time: number): number | undefined
  /** Returns the last start time up to `now`, given an earlier start time `first`. */
  latest(first: number, now: number): number
}

const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 }

const parseDuration = (text: string): number => {
  const parts = [...text.matchAll(/([0-9.]+)([hms])/g)]
  const durationMs = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS_MS[unit!]!, 0)
  if (durationMs < 1000 || parts.map(([part]) => part).join('') !== text)
    throw new Error(`bad duration ${text}`)
  return Math.floor(durationMs / 1000) * 1000
}

const everySchedule = (periodMs: number): Schedule => ({
  next: (time) => Math.floor(time / 1000) * 1000 + periodMs,
  latest: (first, now) => first + Math.floor((now - first) / periodMs) * periodMs,
})

/** Throws if `text` is not a schedule or `timeZone` is not a time zone. */
export const parseSchedule = (text: string, timeZone: string | undefined): Schedule => {
  if (text.startsWith('@every ')) return everySchedule(parseDuration(text.slice('@every '.length)))
  const cron = new Cron(text, { timezone: timeZone ?? 'UTC', paused: true })
  return {
    next: (time) => cron.nextRun(new Date(time))?.getTime(),
    latest(first, now) {
      // Start times are whole seconds, and croner excludes its reference time.
      const reference = new Date(Math.floor(now / 1000) * 1000 + 1000)
      return cron.previousRuns(1, reference)[0]?.getTime() ?? first
    },
  }
}

/** Reports whether the name is a time zone of the IANA database. */
export const isTimeZone = (timeZone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}

/** Formats a time in a time zone: `2026-01-01T06:00:00+01:00`. */
export const toZonedTime = (time: number, timeZone: string | undefined): string => {
  const offset = new Intl.DateTimeFormat('en', { timeZone: timeZone ?? 'UTC', timeZoneName: 'longOffset' })
    .formatToParts(time)
    .find(({ type }) => type === 'timeZoneName')
    ?.value.slice('GMT'.length)
  if (offset === undefined || offset === '' || offset === '+00:00')
    return `${new Date(time).toISOString().slice(0, 19)}Z`
  const [hours, minutes] = offset.slice(1).split(':').map(Number)
  const offsetMs = (offset[0] === '-' ? -1 : 1) * (hours! * 60 + minutes!) * 60_000
  return `${new Date(time + offsetMs).toISOString().slice(0, 19)}${offset}`
}

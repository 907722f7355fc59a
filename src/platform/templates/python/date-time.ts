/** Implements `datetime.datetime` without a time zone, and `datetime.timedelta`. The local time zone is UTC, as in the sandbox of playbooks. */
import { UnsupportedTemplate } from '../template-error.ts'

const pad = (value: number, width = 2): string => String(value).padStart(width, '0')

export interface DateFields {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly microsecond: number
}

const MIN_MICROSECONDS = Date.UTC(1000, 0, 1) * 1000
const MAX_MICROSECONDS = Date.UTC(9999, 11, 31) * 1000

export class DateTime {
  readonly pythonModule = 'datetime'
  /** Since 1970. */
  readonly microseconds: number

  constructor(microseconds: number) {
    if (microseconds < MIN_MICROSECONDS || microseconds > MAX_MICROSECONDS)
      throw new UnsupportedTemplate('years before 1000 and after 9998')
    this.microseconds = microseconds
  }

  static of({ year, month, day, hour, minute, second, microsecond }: DateFields): DateTime {
    return new DateTime(Date.UTC(year, month - 1, day, hour, minute, second) * 1000 + microsecond)
  }

  get pythonType(): string {
    return 'datetime'
  }

  get fields(): DateFields {
    const date = new Date(Math.floor(this.microseconds / 1000))
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      microsecond: ((this.microseconds % 1_000_000) + 1_000_000) % 1_000_000,
    }
  }

  text(separator = ' '): string {
    const { year, month, day, hour, minute, second, microsecond } = this.fields
    const fraction = microsecond === 0 ? '' : `.${pad(microsecond, 6)}`
    const time = `${pad(hour)}:${pad(minute)}:${pad(second)}${fraction}`
    return `${pad(year, 4)}-${pad(month)}-${pad(day)}${separator}${time}`
  }

  repr(): string {
    const parts = Object.values(this.fields)
    if (parts.at(-1) === 0) parts.pop()
    if (parts.length === 6 && parts.at(-1) === 0) parts.pop()
    return `datetime.datetime(${parts.join(', ')})`
  }
}

const MICROSECONDS_OF_DAY = 86_400_000_000

export class TimeDelta {
  readonly pythonModule = 'datetime'
  readonly microseconds: number

  constructor(microseconds: number) {
    this.microseconds = microseconds
  }

  get pythonType(): string {
    return 'timedelta'
  }

  get days(): number {
    return Math.floor(this.microseconds / MICROSECONDS_OF_DAY)
  }

  get seconds(): number {
    return Math.floor((this.microseconds - this.days * MICROSECONDS_OF_DAY) / 1_000_000)
  }

  get fraction(): number {
    return ((this.microseconds % 1_000_000) + 1_000_000) % 1_000_000
  }

  text(): string {
    const { days, seconds, fraction } = this
    const time = `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`
    const date = days === 0 ? '' : `${days} day${Math.abs(days) === 1 ? '' : 's'}, `
    return `${date}${time}${fraction === 0 ? '' : `.${pad(fraction, 6)}`}`
  }

  repr(): string {
    throw new UnsupportedTemplate('a timedelta inside a list or dictionary')
  }
}

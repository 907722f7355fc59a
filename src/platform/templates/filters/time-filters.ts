/** Ansible's filters for times. */
import type { Context } from '../compile/frame.ts'
import type { Plugin } from '../compile/plugins.ts'
import { DateTime } from '../python/date-time.ts'
import { formatTime } from '../python/format-time.ts'
import { parseTime } from '../python/parse-time.ts'
import { filterError, PythonError, typeError } from '../python/python-error.ts'
import { toText } from '../python/repr.ts'
import { typeName } from '../python/type-name.ts'
import { checkDefined } from '../python/undefined.ts'
import { floatValue, isString, plainCharactersOf } from '../python/value.ts'
import { contextFilter, filter } from './define-filter.ts'
import { toPythonFloat } from './python-numbers.ts'

const secondsOf = (context: Context, second: unknown): number => {
  if (second === null) return context.now() / 1000
  try {
    return floatValue(toPythonFloat(second))
  } catch (error) {
    if (error instanceof PythonError) throw filterError(`Invalid value for epoch value (${toText(second)})`)
    throw error
  }
}

/** `utc` makes no difference, because the local time zone is UTC. */
const strftime = (context: Context, format: unknown, second: unknown): string => {
  const seconds = secondsOf(context, second)
  checkDefined(format)
  if (!isString(format)) throw typeError(`strftime() argument 1 must be str, not ${typeName(format)}`)
  const at = new DateTime(Math.floor(seconds) * 1_000_000)
  return formatTime(plainCharactersOf(format), at, { zone: 'UTC', hasFraction: false })
}

const toDateTime = (value: unknown, format: unknown): DateTime => {
  checkDefined(value)
  if (!isString(value) || !isString(format))
    throw typeError(`strptime() argument 1 must be str, not ${typeName(value)}`)
  return parseTime(plainCharactersOf(value), plainCharactersOf(format))
}

export const TIME_FILTERS: Readonly<Record<string, Plugin>> = {
  strftime: contextFilter('strftime(second=None, utc=False)', strftime),
  to_datetime: filter("to_datetime(format='%Y-%m-%d %H:%M:%S')", toDateTime),
}

/** The methods of lists, tuples, dictionaries, numbers and dates. Methods that change a value are not supported. */
import { equals } from '../python/compare.ts'
import type { DateTime, TimeDelta } from '../python/date-time.ts'
import { type AnyDict, copyDict, DictView, dictGet } from '../python/dict.ts'
import { formatTime } from '../python/format-time.ts'
import { typeError, valueError } from '../python/python-error.ts'
import { repr } from '../python/repr.ts'
import { typeName } from '../python/type-name.ts'
import { charactersOf, Float, isString, type Tuple, toFloat } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spendItems } from '../work.ts'
import { keywordMethod, type Method, method } from './define-method.ts'

const findItem = (items: readonly unknown[], value: unknown): number => {
  spendItems(items.length)
  return items.findIndex((item) => item === value || equals(item, value))
}

const indexIn = (items: readonly unknown[], value: unknown, message: string): number => {
  const index = findItem(items, value)
  if (index < 0) throw valueError(message)
  return index
}

const countIn = (items: readonly unknown[], value: unknown): number => {
  spendItems(items.length)
  return items.filter((item) => item === value || equals(item, value)).length
}

export const LIST_METHODS: Readonly<Record<string, Method<readonly unknown[]>>> = {
  copy: method('copy()', (list) => [...list]),
  count: method('count(value)', countIn),
  index: method('index(value)', (list, value) => indexIn(list, value, `${repr(value)} is not in list`)),
}

export const TUPLE_METHODS: Readonly<Record<string, Method<Tuple>>> = {
  count: method('count(value)', ({ items }, value) => countIn(items, value)),
  index: method('index(value)', ({ items }, value) =>
    indexIn(items, value, 'tuple.index(x): x not in tuple'),
  ),
}

export const DICT_METHODS: Readonly<Record<string, Method<AnyDict>>> = {
  copy: method('copy()', copyDict),
  get: method('get(key, default=None)', (dict, key, fallback) => {
    const value = dictGet(dict, key)
    return value === undefined ? fallback : value
  }),
  items: method('items()', (dict) => new DictView('items', dict)),
  keys: method('keys()', (dict) => new DictView('keys', dict)),
  values: method('values()', (dict) => new DictView('values', dict)),
}

export const FLOAT_METHODS: Readonly<Record<string, Method<number | Float>>> = {
  is_integer: method('is_integer()', (value) => value instanceof Float),
}

const formatOf = (value: unknown): string => {
  if (isString(value)) return charactersOf(value)
  throw typeError(`strftime() argument 1 must be str, not ${typeName(value)}`)
}

const separatorOf = (value: unknown): string => {
  if (isString(value) && charactersOf(value).length === 1) return charactersOf(value)
  throw new UnsupportedTemplate('this separator of isoformat()')
}

const weekday = (date: DateTime): number => (new Date(date.microseconds / 1000).getUTCDay() + 6) % 7

export const DATE_TIME_METHODS: Readonly<Record<string, Method<DateTime>>> = {
  isoformat: keywordMethod("isoformat(sep='T')", (date, separator) => date.text(separatorOf(separator))),
  isoweekday: method('isoweekday()', (date) => weekday(date) + 1),
  strftime: keywordMethod('strftime(format)', (date, format) =>
    formatTime(formatOf(format), date, { zone: '', hasFraction: true }),
  ),
  timestamp: method('timestamp()', (date) => toFloat(date.microseconds / 1_000_000)),
  weekday: method('weekday()', weekday),
}

export const TIME_DELTA_METHODS: Readonly<Record<string, Method<TimeDelta>>> = {
  total_seconds: method('total_seconds()', (delta) => toFloat(delta.microseconds / 1_000_000)),
}

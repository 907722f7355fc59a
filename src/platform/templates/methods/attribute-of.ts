/** Reads attributes as `getattr(value, name)` does, for the types of templates. */
import { DateTime, TimeDelta } from '../python/date-time.ts'
import { DictView, isDict } from '../python/dict.ts'
import {
  Callable,
  charactersOf,
  isFloat,
  isNumeric,
  isString,
  Namespace,
  Range,
  Tuple,
} from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import {
  DATE_TIME_METHODS,
  DICT_METHODS,
  FLOAT_METHODS,
  LIST_METHODS,
  TIME_DELTA_METHODS,
  TUPLE_METHODS,
} from './container-methods.ts'
import type { Method } from './define-method.ts'
import { STRING_METHODS } from './string-methods.ts'

/** Implemented by values that define their own attributes, such as `loop`. */
export interface AttributeOwner {
  /** Returns undefined if there is no such attribute. */
  attribute(name: string): unknown
}

/** Names of methods that exist in Python and are not supported here. */
const MORE_METHODS: Readonly<Record<string, ReadonlySet<string>>> = {
  str: new Set(
    'casefold encode expandtabs format_map isidentifier isprintable istitle maketrans translate'.split(' '),
  ),
  list: new Set('append clear extend insert pop remove reverse sort'.split(' ')),
  dict: new Set('clear fromkeys pop popitem setdefault update'.split(' ')),
  float: new Set('as_integer_ratio conjugate fromhex hex imag real'.split(' ')),
  int: new Set(
    'as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes'.split(
      ' ',
    ),
  ),
  datetime: new Set(
    (
      'astimezone combine ctime date dst fold fromisocalendar fromisoformat fromordinal fromtimestamp isocalendar max min now ' +
      'replace resolution strptime time timetuple timetz today toordinal tzname utcfromtimestamp utcnow utcoffset utctimetuple'
    ).split(' '),
  ),
  timedelta: new Set(['max', 'min', 'resolution']),
  range: new Set('count index start step stop'.split(' ')),
  view: new Set(['isdisjoint', 'mapping']),
}

const fromMethods = <T>(
  type: string,
  methods: Readonly<Record<string, Method<T>>>,
  owner: T,
  name: string,
): unknown => {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined
  if (method !== undefined)
    return new Callable(`${type}.${name}`, (args, keywords) => method.call(owner, args, keywords))
  if (!MORE_METHODS[type]?.has(name)) return undefined
  return new Callable(`${type}.${name}`, () => {
    throw new UnsupportedTemplate(`the method ${type}.${name}`)
  })
}

const tupleAttribute = (tuple: Tuple, name: string): unknown => {
  const index = tuple.fields.indexOf(name)
  return index < 0 ? fromMethods('tuple', TUPLE_METHODS, tuple, name) : tuple.items[index]
}

const dateAttribute = (date: DateTime, name: string): unknown => {
  const { fields } = date
  if (Object.hasOwn(fields, name)) return fields[name as keyof typeof fields]
  return name === 'tzinfo' ? null : fromMethods('datetime', DATE_TIME_METHODS, date, name)
}

const deltaAttribute = (delta: TimeDelta, name: string): unknown => {
  if (name === 'days') return delta.days
  if (name === 'seconds') return delta.seconds
  return name === 'microseconds' ? delta.fraction : fromMethods('timedelta', TIME_DELTA_METHODS, delta, name)
}

const isOwner = (value: unknown): value is AttributeOwner =>
  typeof value === 'object' && value !== null && 'attribute' in value && !isDict(value)

const otherAttribute = (value: unknown, name: string): unknown => {
  if (value instanceof Tuple) return tupleAttribute(value, name)
  if (value instanceof DateTime) return dateAttribute(value, name)
  if (value instanceof TimeDelta) return deltaAttribute(value, name)
  if (value instanceof Namespace) return value.members.get(name)
  if (value instanceof Range) return fromMethods('range', {}, value, name)
  if (value instanceof DictView) return fromMethods('view', {}, value, name)
  if (isOwner(value)) return value.attribute(name)
  if (value instanceof Callable) throw new UnsupportedTemplate(`attributes of ${value.name}`)
  return undefined
}

/** Returns undefined if there is no such attribute. Keys of dictionaries are not attributes. */
export const attributeOf = (value: unknown, name: string): unknown => {
  if (name.startsWith('__')) throw new UnsupportedTemplate(`the attribute ${name}`)
  if (isDict(value)) return fromMethods('dict', DICT_METHODS, value, name)
  if (isString(value)) {
    if (!Object.hasOwn(STRING_METHODS, name) && !MORE_METHODS.str!.has(name)) return undefined
    return fromMethods('str', STRING_METHODS, charactersOf(value), name)
  }
  if (Array.isArray(value)) return fromMethods('list', LIST_METHODS, value, name)
  if (isFloat(value)) return fromMethods('float', FLOAT_METHODS, value, name)
  if (isNumeric(value)) return fromMethods('int', {}, value, name)
  return otherAttribute(value, name)
}

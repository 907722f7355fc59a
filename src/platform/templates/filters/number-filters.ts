/** Filters for numbers. */
import type { Plugin } from '../compile/plugins.ts'
import { absolute, divide, multiply, numberOf, power } from '../python/arithmetic.ts'
import { fixedText, roundFloat } from '../python/float-text.ts'
import { iterate } from '../python/iterate.ts'
import { parseFloatText, parseIntText } from '../python/parse-number.ts'
import { filterError, PythonError, typeError, valueError } from '../python/python-error.ts'
import { toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import {
  type Float,
  floatValue,
  intOf,
  isFloat,
  isInt,
  isNumeric,
  isString,
  plainCharactersOf,
  toFloat,
  toInt,
} from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { contextFilter, countArgument, filter } from './define-filter.ts'
import { seededRandom } from './seeded-random.ts'

const truncateFloat = (value: number): number | bigint => toInt(BigInt(Math.trunc(value)))

/** Runs the first function that does not raise a TypeError or a ValueError. */
const firstSuccess = (attempts: readonly (() => unknown)[], fallback: unknown): unknown => {
  for (const attempt of attempts) {
    try {
      return attempt()
    } catch (error) {
      if (!(error instanceof PythonError) || (!error.isTypeError && error.kind !== 'ValueError')) throw error
    }
  }
  return fallback
}

/** `float(value)`. */
export const toPythonFloat = (value: unknown): number | Float => {
  if (value instanceof Undefined) value.fail()
  if (isString(value)) return parseFloatText(plainCharactersOf(value))
  if (isNumeric(value)) return toFloat(numberOf(value))
  throw typeError(`float() argument must be a string or a real number, not '${typeName(value)}'`)
}

/** `int(value)` of a value that is not a string. */
const toPythonInt = (value: unknown): number | bigint => {
  if (value instanceof Undefined) value.fail()
  if (isInt(value) || typeof value === 'boolean') return intOf(value)
  if (isFloat(value)) return truncateFloat(floatValue(value))
  throw typeError(
    `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`,
  )
}

const int = (value: unknown, fallback: unknown, base: unknown): unknown =>
  firstSuccess(
    [
      () =>
        isString(value) ? parseIntText(plainCharactersOf(value), countArgument(base)) : toPythonInt(value),
      () => truncateFloat(floatValue(toPythonFloat(value))),
    ],
    fallback,
  )

const roundInt = (value: number | bigint, digits: number): number | bigint => {
  if (digits >= 0) return value
  const unit = 10n ** BigInt(Math.min(-digits, 400))
  const size = BigInt(value < 0 ? -value : value)
  const rest = size % unit
  const isUp = rest * 2n > unit || (rest * 2n === unit && (size / unit) % 2n === 1n)
  const rounded = size - rest + (isUp ? unit : 0n)
  return toInt(value < 0 ? -rounded : rounded)
}

const roundCommon = (value: unknown, digits: number): unknown => {
  if (isFloat(value)) return toFloat(roundFloat(floatValue(value), digits))
  if (isInt(value) || typeof value === 'boolean') return roundInt(intOf(value), digits)
  throw typeError(`type ${typeName(value)} doesn't define __round__ method`)
}

const round = (value: unknown, precision: unknown, method: unknown): unknown => {
  const name = isString(method) ? plainCharactersOf(method) : ''
  if (!['common', 'ceil', 'floor'].includes(name))
    throw new PythonError('FilterArgumentError', 'method must be common, ceil or floor')
  if (value instanceof Undefined) value.fail()
  if (name === 'common') return roundCommon(value, countArgument(precision))
  const unit = power(10, precision)
  const scaled = multiply(value, unit)
  if (!isNumeric(scaled)) throw typeError(`must be real number, not ${typeName(scaled)}`)
  const rounded = name === 'ceil' ? Math.ceil(numberOf(scaled)) : Math.floor(numberOf(scaled))
  return divide(toInt(BigInt(rounded)), unit)
}

const UNITS = ['Y', 'Z', 'E', 'P', 'T', 'G', 'M', 'K', 'B']
const sizeOfUnit = (unit: string): number => 2 ** (10 * (UNITS.length - 1 - UNITS.indexOf(unit)))

const humanReadable = (size: unknown, isBits: unknown, unit: unknown): string => {
  if (size instanceof Undefined) size.fail()
  if (!isNumeric(size))
    throw new PythonError(
      'AnsibleFilterTypeError',
      `human_readable() failed on bad input: '>=' not supported between instances of '${typeName(size)}' and 'int'`,
    )
  if (unit !== null && !isString(unit))
    throw filterError(`human_readable() can't interpret following string: ${toText(size)}`)
  const bytes = numberOf(size)
  const wanted = unit === null ? undefined : plainCharactersOf(unit).toUpperCase()
  const chosen =
    UNITS.find((name) => (wanted === undefined ? bytes >= sizeOfUnit(name) : wanted === name)) ?? 'B'
  const base = isTruthy(isBits) ? 'bits' : 'Bytes'
  return `${fixedText(bytes / sizeOfUnit(chosen), 2)} ${chosen === 'B' ? base : chosen + base[0]}`
}

const toBytes = (text: string, defaultUnit: string | undefined, isBits: boolean): unknown => {
  const match = /^\s*(\d*\.?\d*)\s*([A-Za-z]+)?/.exec(text)!
  const number = floatValue(parseFloatText(match[1]!))
  const unit = match[2] ?? defaultUnit
  if (unit === undefined) return truncateFloat(roundFloat(number, 0))
  const key = unit[0]?.toUpperCase() ?? ''
  if (!UNITS.includes(key)) throw valueError('unknown unit')
  const [mark, name] = isBits ? ['b', 'bit'] : ['B', 'byte']
  if (unit.length > 1 && !unit.toLowerCase().includes(name!) && unit[1] !== mark)
    throw valueError('wrong unit')
  return truncateFloat(roundFloat(number * sizeOfUnit(key), 0))
}

const humanToBytes = (size: unknown, defaultUnit: unknown, isBits: unknown): unknown => {
  const text = toText(size)
  if (defaultUnit !== null && !isString(defaultUnit))
    throw new UnsupportedTemplate('a default unit that is not a string')
  try {
    return toBytes(text, defaultUnit === null ? undefined : plainCharactersOf(defaultUnit), isTruthy(isBits))
  } catch (error) {
    if (error instanceof PythonError)
      throw filterError(`human_to_bytes() can't interpret following string: ${text}`)
    throw error
  }
}

const fileSize = (value: unknown, isBinary: unknown): string => {
  const bytes = floatValue(toPythonFloat(value))
  const [base, suffix] = isTruthy(isBinary) ? [1024, 'iB'] : [1000, 'B']
  if (bytes === 1) return '1 Byte'
  if (bytes < base!) return `${Math.trunc(bytes)} Bytes`
  const prefixes = `${isTruthy(isBinary) ? 'K' : 'k'}MGTPEZY`
  const index = [...prefixes].findIndex((_, place) => bytes < (base as number) ** (place + 2))
  const place = index < 0 ? prefixes.length - 1 : index
  return `${fixedText(((base as number) * bytes) / (base as number) ** (place + 2), 1)} ${prefixes[place]}${suffix}`
}

const root = (value: unknown, base: unknown): unknown => {
  if (value instanceof Undefined) value.fail()
  if (!isNumeric(value) || !isNumeric(base))
    throw new PythonError(
      'AnsibleFilterTypeError',
      `root() can only be used on numbers: must be real number, not ${typeName(value)}`,
    )
  if (numberOf(base) !== 2) throw new UnsupportedTemplate('roots other than the square root')
  if (numberOf(value) < 0)
    throw new PythonError('AnsibleFilterTypeError', 'root() can only be used on numbers: math domain error')
  return toFloat(Math.sqrt(numberOf(value)))
}

const pow = (value: unknown, exponent: unknown): unknown => {
  if (value instanceof Undefined) value.fail()
  if (!isNumeric(value) || !isNumeric(exponent))
    throw new PythonError(
      'AnsibleFilterTypeError',
      `pow() can only be used on numbers: must be real number, not ${typeName(value)}`,
    )
  const result = power(toFloat(numberOf(value)), toFloat(numberOf(exponent)))
  return result
}

const random = (value: unknown, start: unknown, step: unknown, seed: unknown): unknown => {
  if (seed === null) throw new UnsupportedTemplate('the filter random without a seed')
  const generator = seededRandom(seed)
  if (isInt(value) || typeof value === 'boolean') {
    const [first, stride] = [start, step].map((part) =>
      part !== null && isTruthy(part) ? countArgument(part) : undefined,
    )
    return generator.range(first ?? 0, countArgument(value), stride ?? 1)
  }
  if (isNumeric(value) || value === null)
    throw filterError('random can only be used on sequences and integers')
  if (isTruthy(start) || isTruthy(step))
    throw filterError('start and step can only be used with integer values')
  const isIndexed = isString(value) || Array.isArray(value)
  if (!isIndexed)
    throw new UnsupportedTemplate(`the filter random for a value of the type ${typeName(value)}`)
  const items = iterate(value)
  if (items.length === 0) throw new PythonError('IndexError', 'Cannot choose from an empty sequence')
  return items[generator.below(items.length)]
}

const shuffle = (values: unknown, seed: unknown): unknown => {
  if (!isTruthy(seed)) throw new UnsupportedTemplate('the filter shuffle without a seed')
  const items = [...iterate(values)]
  const generator = seededRandom(seed)
  for (let index = items.length - 1; index > 0; index -= 1) {
    const other = generator.below(index + 1)
    const moved = items[index]
    items[index] = items[other]
    items[other] = moved
  }
  return items
}

export const NUMBER_FILTERS: Readonly<Record<string, Plugin>> = {
  abs: filter('abs()', absolute),
  filesizeformat: filter('do_filesizeformat(binary=False)', fileSize),
  float: filter('do_float(default=0.0)', (value, fallback) =>
    firstSuccess([() => toPythonFloat(value)], fallback),
  ),
  int: filter('do_int(default=0, base=10)', int),
  round: filter("do_round(precision=0, method='common')", round),
}

export const ANSIBLE_NUMBER_FILTERS: Readonly<Record<string, Plugin>> = {
  human_readable: filter('human_readable(isbits=False, unit=None)', humanReadable),
  human_to_bytes: filter('human_to_bytes(default_unit=None, isbits=False)', humanToBytes),
  pow: filter('power(y)', pow),
  random: contextFilter('rand(start=None, step=None, seed=None)', (_, value, start, step, seed) =>
    random(value, start, step, seed),
  ),
  root: filter('inversepower(base=2)', root),
  shuffle: filter('randomize_list(seed=None)', shuffle),
}

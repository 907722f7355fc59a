/** Filters for numbers. */
import type { Plugin } from '../compile/plugins.ts'
import { numberOf } from '../python/calculate.ts'
import { parseIntText } from '../python/parse-number.ts'
import { power } from '../python/power.ts'
import { PythonError } from '../python/python-error.ts'
import { absolute } from '../python/sign.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import { floatValue, isNumeric, isString, plainCharactersOf, toFloat } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { contextFilter, countArgument, filter } from './define-filter.ts'
import { toPythonFloat, toPythonInt, truncateFloat } from './python-numbers.ts'
import { random, shuffle } from './random-filters.ts'
import { round } from './round-number.ts'
import { fileSize, humanReadable, humanToBytes } from './size-filters.ts'

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

const int = (value: unknown, fallback: unknown, base: unknown): unknown =>
  firstSuccess(
    [
      () =>
        isString(value) ? parseIntText(plainCharactersOf(value), countArgument(base)) : toPythonInt(value),
      () => truncateFloat(floatValue(toPythonFloat(value))),
    ],
    fallback,
  )

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

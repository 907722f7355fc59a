/** Jinja's tests. */
import type { Plugin } from '../compile/plugins.ts'
import { filter } from '../filters/define-filter.ts'
import { LazyVariables } from '../lazy-variables.ts'
import { contains, equals, order } from '../python/compare.ts'
import { isDict } from '../python/dict.ts'
import { modulo } from '../python/division.ts'
import { isIterable } from '../python/iterate.ts'
import { isLower, isUpper } from '../python/letter-case.ts'
import { toText } from '../python/repr.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import { Callable, isFloat, isInt, isNumeric, isString, Range, Text, Tuple } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'

/** Tests identity, which is known only for None, booleans and values of different types. */
const isSame = (value: unknown, other: unknown): boolean => {
  const isSingleton = (side: unknown): boolean => side === null || typeof side === 'boolean'
  if (isSingleton(value) || isSingleton(other)) return value === other
  if (typeName(value) !== typeName(other)) return false
  throw new UnsupportedTemplate(`the test sameas for values of the type ${typeName(value)}`)
}

const isSequence = (value: unknown): boolean => {
  if (value instanceof Undefined) return false
  if (value instanceof LazyVariables) return true
  return (
    isString(value) ||
    Array.isArray(value) ||
    isDict(value) ||
    value instanceof Tuple ||
    value instanceof Range
  )
}

const canIterate = (value: unknown): boolean => {
  // Fails for an undefined value.
  if (value instanceof Undefined && value.isStrict) value.fail()
  return isIterable(value) || value instanceof Undefined || value instanceof LazyVariables
}

const isCallable = (value: unknown): boolean => value instanceof Callable || value instanceof Undefined

const compare = (symbol: string, isMatch: (order: number) => boolean): Plugin =>
  filter(`${symbol}(b)`, (a, b) => isMatch(order(a, b, symbol)))

const [equal, unequal] = [filter('eq(b)', equals), filter('ne(b)', (a: unknown, b: unknown) => !equals(a, b))]
const less = compare('<', (difference) => difference < 0)
const lessOrEqual = compare('<=', (difference) => difference <= 0)
const greater = compare('>', (difference) => difference > 0)
const greaterOrEqual = compare('>=', (difference) => difference >= 0)

export const VALUE_TESTS: Readonly<Record<string, Plugin>> = {
  '!=': unequal,
  '<': less,
  '<=': lessOrEqual,
  '==': equal,
  '>': greater,
  '>=': greaterOrEqual,
  boolean: filter('test_boolean()', (value) => typeof value === 'boolean'),
  callable: filter('callable()', isCallable),
  defined: filter('test_defined()', (value) => !(value instanceof Undefined)),
  divisibleby: filter('test_divisibleby(num)', (value, divisor) => equals(modulo(value, divisor), 0)),
  eq: equal,
  equalto: equal,
  escaped: filter('test_escaped()', (value) => {
    if (value instanceof Undefined) throw new UnsupportedTemplate('the test escaped for undefined values')
    return value instanceof Text && value.kind === 'Markup'
  }),
  even: filter('test_even()', (value) => equals(modulo(value, 2), 0)),
  false: filter('test_false()', (value) => value === false),
  float: filter('test_float()', isFloat),
  ge: greaterOrEqual,
  greaterthan: greater,
  gt: greater,
  in: filter('test_in(seq)', (value, container) => contains(container, value)),
  integer: filter('test_integer()', isInt),
  iterable: filter('test_iterable()', canIterate),
  le: lessOrEqual,
  lessthan: less,
  lower: filter('test_lower()', (value) => isLower(toText(value))),
  lt: less,
  mapping: filter('test_mapping()', (value) => isDict(value) || value instanceof LazyVariables),
  ne: unequal,
  none: filter('test_none()', (value) => value === null),
  number: filter('test_number()', isNumeric),
  odd: filter('test_odd()', (value) => equals(modulo(value, 2), 1)),
  sameas: filter('test_sameas(other)', isSame),
  sequence: filter('test_sequence()', isSequence),
  string: filter('test_string()', isString),
  true: filter('test_true()', (value) => value === true),
  undefined: filter('test_undefined()', (value) => value instanceof Undefined),
  upper: filter('test_upper()', (value) => isUpper(toText(value))),
}

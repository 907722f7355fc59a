/** Python's comparisons: `==`, `<` and `in`. */
import { UnsupportedTemplate } from '../template-error.ts'
import { checkDepth, spend, spendText } from '../work.ts'
import { compareText } from './characters.ts'
import { DateTime, TimeDelta } from './date-time.ts'
import { type AnyDict, Dict, DictView, dictGet, dictHas, dictSize, isDict } from './dict.ts'
import { iterate } from './iterate.ts'
import { typeError } from './python-error.ts'
import { typeName } from './type-name.ts'
import { Undefined } from './undefined.ts'
import { Float, isNumeric, isString, plainCharactersOf, Range, Tuple } from './value.ts'

/** Preserves bigints, because JavaScript compares numbers with bigints exactly. */
const numberOf = (value: number | bigint | boolean | Float): number | bigint => {
  if (typeof value === 'boolean') return Number(value)
  return value instanceof Float ? value.value : value
}

/** A number and a bigint can be equal. */
const areNumbersEqual = (a: number | bigint, b: number | bigint): boolean => !(a < b) && !(a > b)

const areListsEqual = (a: readonly unknown[], b: readonly unknown[], depth: number): boolean => {
  if (a.length !== b.length) return false
  spend(a.length)
  return a.every((item, index) => item === b[index] || equalsAt(item, b[index], depth + 1))
}

const areDictsEqual = (a: AnyDict, b: AnyDict, depth: number): boolean => {
  if (dictSize(a) !== dictSize(b)) return false
  spend(dictSize(a))
  const entries = a instanceof Dict ? a.entries() : Object.entries(a)
  return entries.every(([key, value]) => {
    if (!dictHas(b, key)) return false
    const other = dictGet(b, key)
    return value === other || equalsAt(value ?? null, other, depth + 1)
  })
}

const areUndefinedEqual = (a: unknown, b: unknown): boolean => {
  for (const side of [a, b]) if (side instanceof Undefined && side.isStrict) side.fail()
  return a instanceof Undefined && b instanceof Undefined
}

const areMomentsEqual = (a: unknown, b: unknown): boolean =>
  ((a instanceof DateTime && b instanceof DateTime) || (a instanceof TimeDelta && b instanceof TimeDelta)) &&
  a.microseconds === b.microseconds

const areRangesEqual = (a: Range, b: Range): boolean =>
  a.length === b.length && (a.length === 0 || (a.start === b.start && (a.length === 1 || a.step === b.step)))

/** Views of keys and items are compared as sets. */
const checkViews = (a: unknown, b: unknown): void => {
  const isSet = (value: unknown): boolean => value instanceof DictView && value.kind !== 'values'
  if (isSet(a) && isSet(b)) throw new UnsupportedTemplate('comparison of the keys or items of dictionaries')
}

const equalsAt = (a: unknown, b: unknown, depth: number): boolean => {
  checkDepth(depth)
  if (a instanceof Undefined || b instanceof Undefined) return areUndefinedEqual(a, b)
  if (isNumeric(a)) return isNumeric(b) && areNumbersEqual(numberOf(a), numberOf(b))
  if (isString(a)) return isString(b) && plainCharactersOf(a) === plainCharactersOf(b)
  if (a === null || b === null) return a === b
  if (Array.isArray(a)) return Array.isArray(b) && areListsEqual(a, b, depth)
  if (a instanceof Tuple) return b instanceof Tuple && areListsEqual(a.items, b.items, depth)
  if (isDict(a)) return isDict(b) && areDictsEqual(a, b, depth)
  if (a instanceof Range) return b instanceof Range && areRangesEqual(a, b)
  checkViews(a, b)
  return a === b || areMomentsEqual(a, b)
}

/** `a == b`. Fails for undefined values. */
export const equals = (a: unknown, b: unknown): boolean => equalsAt(a, b, 0)

/** The comparison of list elements: identical elements are equal. */
const isSame = (a: unknown, b: unknown): boolean =>
  (a === b && typeof a === 'object' && a !== null) || equals(a, b)

const compareLists = (
  a: readonly unknown[],
  b: readonly unknown[],
  operator: string,
  depth: number,
): number => {
  const shared = Math.min(a.length, b.length)
  for (let index = 0; index < shared; index += 1) {
    spend(1)
    if (!isSame(a[index], b[index])) return orderAt(a[index], b[index], operator, depth + 1)
  }
  return a.length - b.length
}

const orderAt = (a: unknown, b: unknown, operator: string, depth: number): number => {
  checkDepth(depth)
  if (a instanceof Undefined) a.fail()
  if (b instanceof Undefined) b.fail()
  if (isNumeric(a) && isNumeric(b)) {
    const [left, right] = [numberOf(a), numberOf(b)]
    return left < right ? -1 : left > right ? 1 : 0
  }
  if (isString(a) && isString(b)) return compareText(plainCharactersOf(a), plainCharactersOf(b))
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b, operator, depth)
  if (a instanceof Tuple && b instanceof Tuple) return compareLists(a.items, b.items, operator, depth)
  if ((a instanceof DateTime && b instanceof DateTime) || (a instanceof TimeDelta && b instanceof TimeDelta))
    return a.microseconds - b.microseconds
  checkViews(a, b)
  throw typeError(`'${operator}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`)
}

/** Negative if a < b, positive if a > b. `operator` is for the message of the TypeError. */
export const order = (a: unknown, b: unknown, operator = '<'): number => orderAt(a, b, operator, 0)

const containsNumber = ({ start, step, length }: Range, item: number | bigint): boolean => {
  if (typeof item === 'bigint') return false
  const index = (item - start) / step
  return Number.isInteger(index) && index >= 0 && index < length
}

const viewContains = ({ kind, dict }: DictView, item: unknown): boolean => {
  if (kind === 'keys') return dictHas(dict, item)
  if (!(item instanceof Tuple) || item.items.length !== 2) return false
  const value = dictGet(dict, item.items[0])
  return value !== undefined && isSame(value, item.items[1])
}

/** `item in container`. */
export const contains = (container: unknown, item: unknown): boolean => {
  if (isString(container)) {
    if (!isString(item))
      throw typeError(`'in <string>' requires string as left operand, not ${typeName(item)}`)
    const text = plainCharactersOf(container)
    spendText(text.length)
    return text.includes(plainCharactersOf(item))
  }
  if (isDict(container)) return dictHas(container, item)
  if (container instanceof DictView && container.kind !== 'values') return viewContains(container, item)
  if (container instanceof Range && isNumeric(item)) return containsNumber(container, numberOf(item))
  if (container instanceof Undefined) return container.isStrict ? container.fail() : false
  if (isNumeric(container) || container === null)
    throw typeError(`argument of type '${typeName(container)}' is not iterable`)
  return iterate(container).some((member) => isSame(member, item))
}

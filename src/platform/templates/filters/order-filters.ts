/** Jinja's filters that compare items: sort, min, max, groupby. */
import { equals, order } from '../python/compare.ts'
import { dictEntries, isDict } from '../python/dict.ts'
import { iterate } from '../python/iterate.ts'
import { PythonError } from '../python/python-error.ts'
import { sortBy } from '../python/sort.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { checkDefined, Undefined } from '../python/undefined.ts'
import { isString, plainCharactersOf, Tuple } from '../python/value.ts'
import { attributeGetter, ignoreCase, multiAttributeGetter } from './attribute-getter.ts'

export const extreme = (
  values: unknown,
  isCaseSensitive: unknown,
  attribute: unknown,
  sign: number,
): unknown => {
  const items = iterate(values)
  if (items.length === 0) return new Undefined({ hint: 'No aggregated item, sequence was empty.' })
  const getter = attributeGetter(attribute)
  const keyOf = (item: unknown): unknown =>
    isTruthy(isCaseSensitive) ? getter(item) : ignoreCase(getter(item))
  let [best, bestKey] = [items[0], keyOf(items[0])]
  for (const item of items.slice(1)) {
    const key = keyOf(item)
    if (order(key, bestKey, sign < 0 ? '<' : '>') * sign > 0) [best, bestKey] = [item, key]
  }
  return best
}

export const sort = (
  values: unknown,
  isReverse: unknown,
  isCaseSensitive: unknown,
  attribute: unknown,
): unknown => {
  const getter = multiAttributeGetter(attribute)
  const keyOf = (item: unknown): unknown[] =>
    isTruthy(isCaseSensitive) ? getter(item) : getter(item).map(ignoreCase)
  return sortBy(iterate(values), keyOf, isTruthy(isReverse))
}

export const dictSort = (
  value: unknown,
  isCaseSensitive: unknown,
  by: unknown,
  isReverse: unknown,
): unknown => {
  const place = ['key', 'value'].indexOf(isString(by) ? plainCharactersOf(by) : '')
  if (place < 0) throw new PythonError('FilterArgumentError', 'You can only sort by either "key" or "value"')
  checkDefined(value)
  if (!isDict(value))
    throw new PythonError('AttributeError', `'${typeName(value)}' object has no attribute 'items'`)
  const pairs = dictEntries(value).map((entry) => new Tuple(entry))
  const keyOf = (pair: unknown): unknown => {
    const key = (pair as Tuple).items[place]
    return isTruthy(isCaseSensitive) ? key : ignoreCase(key)
  }
  return sortBy(pairs, keyOf, isTruthy(isReverse))
}

export const groupBy = (
  values: unknown,
  attribute: unknown,
  fallback: unknown,
  isCaseSensitive: unknown,
): unknown => {
  const getter = attributeGetter(attribute, fallback)
  const keyOf = (item: unknown): unknown =>
    isTruthy(isCaseSensitive) ? getter(item) : ignoreCase(getter(item))
  const groups: { key: unknown; items: unknown[] }[] = []
  for (const item of sortBy(iterate(values), keyOf, false)) {
    const key = keyOf(item)
    const group = groups.at(-1)
    if (group !== undefined && equals(group.key, key)) group.items.push(item)
    else groups.push({ key, items: [item] })
  }
  return groups.map(({ items }) => new Tuple([getter(items[0]), items], ['grouper', 'list']))
}

/** Jinja's filters for lists and dictionaries. */
import type { Plugin } from '../compile/plugins.ts'
import { attributeOf } from '../methods/attribute-of.ts'
import { add } from '../python/arithmetic.ts'
import { toCharacters } from '../python/characters.ts'
import { DictView, isDict } from '../python/dict.ts'
import { iterate, pythonLength, toList } from '../python/iterate.ts'
import { PythonError, typeError } from '../python/python-error.ts'
import { repr } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { describeType, typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import { charactersOf, isNumeric, isString } from '../python/value.ts'
import { attributeGetter } from './attribute-getter.ts'
import { contextFilter, filter, textArgument } from './define-filter.ts'
import { dictSort, extreme, groupBy, sort } from './order-filters.ts'
import { batch, slice } from './portion-filters.ts'
import { map, selector } from './selection-filters.ts'

const first = (values: unknown): unknown => {
  const items = iterate(values)
  return items.length > 0 ? items[0] : new Undefined({ hint: 'No first item, sequence was empty.' })
}

const last = (values: unknown): unknown => {
  if (values === null || isNumeric(values)) throw typeError(`'${typeName(values)}' object is not reversible`)
  const items = iterate(values)
  return items.length > 0 ? items.at(-1) : new Undefined({ hint: 'No last item, sequence was empty.' })
}

const sum = (values: unknown, attribute: unknown, start: unknown): unknown => {
  const getter = attributeGetter(attribute)
  const items = iterate(values)
  if (isString(start)) throw typeError("sum() can't sum strings [use ''.join(seq) instead]")
  return items.reduce((total, item) => add(total, getter(item)), start)
}

const reverse = (values: unknown): unknown => {
  if (isString(values)) return toCharacters(charactersOf(values)).reverse().join('')
  if (values === null || isNumeric(values))
    throw new PythonError('FilterArgumentError', 'argument must be iterable')
  return toList(values).reverse()
}

const items = (value: unknown): unknown => {
  if (value instanceof Undefined) return []
  if (!isDict(value)) throw typeError('Can only get item pairs from a mapping.')
  return new DictView('items', value)
}

const attribute = (value: unknown, name: unknown): unknown => {
  const text = textArgument(name, 'the attribute name')
  const found = value instanceof Undefined ? value : attributeOf(value, text)
  return found === undefined
    ? new Undefined({ owner: describeType(value), name: text, nameRepr: repr(text) })
    : found
}

const fallback = (value: unknown, replacement: unknown, isBoolean: unknown): unknown => {
  if (value instanceof Undefined) return replacement
  return isTruthy(isBoolean) && !isTruthy(value) ? replacement : value
}

export const LIST_FILTERS: Readonly<Record<string, Plugin>> = {
  attr: filter('do_attr(name)', attribute),
  batch: filter('do_batch(linecount, fill_with=None)', batch),
  count: filter('len()', pythonLength),
  d: filter("do_default(default_value='', boolean=False)", fallback),
  default: filter("do_default(default_value='', boolean=False)", fallback),
  dictsort: filter("do_dictsort(case_sensitive=False, by='key', reverse=False)", dictSort),
  first: filter('do_first()', first),
  groupby: filter('do_groupby(attribute, default=None, case_sensitive=False)', groupBy),
  items: filter('do_items()', items),
  last: filter('do_last()', last),
  length: filter('len()', pythonLength),
  list: filter('do_list()', toList),
  map,
  max: contextFilter('do_max(case_sensitive=False, attribute=None)', (_, values, isCaseSensitive, name) =>
    extreme(values, isCaseSensitive, name, 1),
  ),
  min: contextFilter('do_min(case_sensitive=False, attribute=None)', (_, values, isCaseSensitive, name) =>
    extreme(values, isCaseSensitive, name, -1),
  ),
  reject: selector(false, false),
  rejectattr: selector(false, true),
  reverse: filter('do_reverse()', reverse),
  select: selector(true, false),
  selectattr: selector(true, true),
  slice: filter('do_slice(slices, fill_with=None)', slice),
  sort: filter('do_sort(reverse=False, case_sensitive=False, attribute=None)', sort),
  sum: filter('do_sum(attribute=None, start=0)', sum),
}

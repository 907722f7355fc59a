/** Jinja's filters for lists and dictionaries. */
import type { Context } from '../compile/frame.ts'
import type { Plugin } from '../compile/plugins.ts'
import { attributeOf } from '../methods/attribute-of.ts'
import { add } from '../python/arithmetic.ts'
import { toCharacters } from '../python/characters.ts'
import { equals, order } from '../python/compare.ts'
import { Dict, DictView, dictEntries, isDict } from '../python/dict.ts'
import { iterate, pythonLength, toList } from '../python/iterate.ts'
import { PythonError, typeError } from '../python/python-error.ts'
import { repr, reprText } from '../python/repr.ts'
import { sortBy } from '../python/sort.ts'
import { isTruthy } from '../python/truth.ts'
import { describeType, typeName } from '../python/type-name.ts'
import { checkDefined, Undefined } from '../python/undefined.ts'
import {
  charactersOf,
  isNumeric,
  isString,
  type Keywords,
  plainCharactersOf,
  Range,
  Tuple,
} from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spendItems } from '../work.ts'
import { attributeGetter, ignoreCase, multiAttributeGetter } from './attribute-getter.ts'
import { contextFilter, countArgument, filter, textArgument } from './define-filter.ts'

const first = (values: unknown): unknown => {
  const items = iterate(values)
  return items.length > 0 ? items[0] : new Undefined({ hint: 'No first item, sequence was empty.' })
}

const last = (values: unknown): unknown => {
  if (values === null || isNumeric(values)) throw typeError(`'${typeName(values)}' object is not reversible`)
  const items = iterate(values)
  return items.length > 0 ? items.at(-1) : new Undefined({ hint: 'No last item, sequence was empty.' })
}

const extreme = (values: unknown, isCaseSensitive: unknown, attribute: unknown, sign: number): unknown => {
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

const sum = (values: unknown, attribute: unknown, start: unknown): unknown => {
  const getter = attributeGetter(attribute)
  const items = iterate(values)
  if (isString(start)) throw typeError("sum() can't sum strings [use ''.join(seq) instead]")
  return items.reduce((total, item) => add(total, getter(item)), start)
}

const sort = (values: unknown, isReverse: unknown, isCaseSensitive: unknown, attribute: unknown): unknown => {
  const getter = multiAttributeGetter(attribute)
  const keyOf = (item: unknown): unknown[] =>
    isTruthy(isCaseSensitive) ? getter(item) : getter(item).map(ignoreCase)
  return sortBy(iterate(values), keyOf, isTruthy(isReverse))
}

const dictSort = (value: unknown, isCaseSensitive: unknown, by: unknown, isReverse: unknown): unknown => {
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

const reverse = (values: unknown): unknown => {
  if (isString(values)) return toCharacters(charactersOf(values)).reverse().join('')
  if (values === null || isNumeric(values))
    throw new PythonError('FilterArgumentError', 'argument must be iterable')
  return toList(values).reverse()
}

const batch = (values: unknown, size: unknown, fill: unknown): unknown => {
  const items = iterate(values)
  const count = countArgument(size)
  if (count < 1) throw new UnsupportedTemplate('batches of less than one item')
  const batches: unknown[][] = []
  for (let start = 0; start < items.length; start += count) batches.push(items.slice(start, start + count))
  const short = batches.at(-1)
  if (fill !== null && short !== undefined) {
    spendItems(count)
    while (short.length < count) short.push(fill)
  }
  return batches
}

const slice = (values: unknown, count: unknown, fill: unknown): unknown => {
  const items = iterate(values)
  const slices = countArgument(count)
  if (slices === 0) throw new PythonError('ZeroDivisionError', 'integer division or modulo by zero')
  if (slices < 0) return []
  spendItems(slices)
  const [size, longer] = [Math.floor(items.length / slices), items.length % slices]
  return Array.from({ length: slices }, (_, index) => {
    const start = index * size + Math.min(index, longer)
    const part = items.slice(start, start + size + (index < longer ? 1 : 0))
    return fill !== null && index >= longer ? [...part, fill] : part
  })
}

const groupBy = (
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

const mapper = (
  context: Context,
  args: readonly unknown[],
  keywords: Keywords,
): ((item: unknown) => unknown) => {
  if (args.length === 0 && keywords.has('attribute')) {
    const unexpected = [...keywords.keys()].find((name) => name !== 'attribute' && name !== 'default')
    if (unexpected !== undefined)
      throw new PythonError('FilterArgumentError', `Unexpected keyword argument ${reprText(unexpected)}`)
    return attributeGetter(keywords.get('attribute'), keywords.get('default') ?? null)
  }
  if (args.length === 0) throw new PythonError('FilterArgumentError', 'map requires a filter argument')
  const [name, ...rest] = args
  return (item) => context.callFilter(name, item, rest, keywords)
}

const map: Plugin = (context, values, args, keywords) => {
  if (!isTruthy(values)) return []
  const items = (): readonly unknown[] => iterate(values)
  const convert = mapper(context, args, keywords)
  return items().map(convert)
}

const selector =
  (isWanted: boolean, hasAttribute: boolean): Plugin =>
  (context, values, args, keywords) => {
    if (!isTruthy(values)) return []
    if (hasAttribute && args.length === 0)
      throw new PythonError('FilterArgumentError', 'Missing parameter for attribute name')
    const getter = hasAttribute ? attributeGetter(args[0]) : (item: unknown): unknown => item
    const [name, ...rest] = args.slice(hasAttribute ? 1 : 0)
    const test = (item: unknown): boolean =>
      name === undefined ? isTruthy(getter(item)) : context.callTest(name, getter(item), rest, keywords)
    return iterate(values).filter((item) => test(item) === isWanted)
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

/** The types that can be a list of pairs, for `dict(...)`. */
export const dictFromPairs = (value: unknown): Dict => {
  if (isDict(value)) return Dict.of(dictEntries(value))
  if (value instanceof Range || value === null || isNumeric(value))
    throw typeError(`'${typeName(value)}' object is not iterable`)
  return Dict.of(
    iterate(value).map((pair, index) => {
      const parts = iterate(pair)
      if (parts.length !== 2)
        throw new PythonError(
          'ValueError',
          `dictionary update sequence element #${index} has length ${parts.length}; 2 is required`,
        )
      return [parts[0], parts[1]] as const
    }),
  )
}

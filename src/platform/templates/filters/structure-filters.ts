/** Ansible's filters for lists and dictionaries. */
import type { Plugin } from '../compile/plugins.ts'
import { getItem } from '../methods/items.ts'
import { Dict, dictEntries, dictGet, isDict } from '../python/dict.ts'
import { isIterable, isSequence, iterate } from '../python/iterate.ts'
import { filterError, PythonError, typeError, valueError } from '../python/python-error.ts'
import { repr, toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { className } from '../python/type-name.ts'
import { checkDefined, Undefined } from '../python/undefined.ts'
import { isString, plainCharactersOf, Tuple } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spendItems } from '../work.ts'
import { combine } from './combine-dicts.ts'
import { countArgument, filter } from './define-filter.ts'
import { flatten } from './flatten.ts'

const filterTypeError = (message: string): PythonError => new PythonError('AnsibleFilterTypeError', message)

const dictToItems = (value: unknown, keyName: unknown, valueName: unknown): unknown => {
  if (!isDict(value))
    throw filterTypeError(`dict2items requires a dictionary, got ${className(value)} instead.`)
  return dictEntries(value).map(([key, item]) =>
    Dict.of([
      [keyName, key],
      [valueName, item],
    ]),
  )
}

const memberOf = (item: unknown, name: unknown, values: unknown): unknown => {
  if (item instanceof Undefined) return item
  if (!isDict(item))
    throw filterTypeError(`items2dict requires a list of dictionaries, got ${repr(values)} instead.`)
  const value = dictGet(item, name)
  if (value === undefined)
    throw filterTypeError('items2dict requires each dictionary in the list to contain the keys')
  return value
}

const itemsToDict = (values: unknown, keyName: unknown, valueName: unknown): unknown => {
  if (!isSequence(values))
    throw filterTypeError(`items2dict requires a list, got ${className(values)} instead.`)
  const entries = iterate(values).map(
    (item) => [memberOf(item, keyName, values), memberOf(item, valueName, values)] as const,
  )
  if (entries.some(([key]) => Array.isArray(key) || isDict(key)))
    throw filterTypeError('items2dict requires a list of dictionaries')
  return Dict.of(entries)
}

const subelements = (value: unknown, path: unknown, skipsMissing: unknown): unknown => {
  checkDefined(value)
  if (!isDict(value) && !Array.isArray(value))
    throw filterError('obj must be a list of dicts or a nested dict')
  const elements = isDict(value) ? dictEntries(value).map(([, item]) => item) : value
  if (!isString(path) && !Array.isArray(path)) throw filterTypeError('subelements must be a list or a string')
  const parts: readonly unknown[] = isString(path) ? plainCharactersOf(path).split('.') : path
  return elements.flatMap((element) => {
    const values = subvalues(element, parts, isTruthy(skipsMissing))
    if (!Array.isArray(values)) {
      checkDefined(values)
      throw filterTypeError(`the key ${repr(parts.at(-1))} should point to a list, got ${repr(values)}`)
    }
    return values.map((item) => new Tuple([element, item]))
  })
}

const subvalues = (element: unknown, parts: readonly unknown[], skipsMissing: boolean): unknown => {
  let values = element
  for (const part of parts) {
    if (values instanceof Undefined) return values
    if (!isDict(values)) {
      if (Array.isArray(values) && !isString(part)) throw new UnsupportedTemplate('indices in subelements')
      throw filterTypeError(`the key ${toText(part)} should point to a dictionary, got '${toText(values)}'`)
    }
    const next = dictGet(values, part)
    if (next === undefined && skipsMissing) return []
    if (next === undefined)
      throw filterError(`could not find ${repr(part)} key in iterated item ${repr(values)}`)
    values = next
  }
  return values
}

const extract = (key: unknown, container: unknown, more: unknown): unknown => {
  const rest = more === null ? [] : Array.isArray(more) ? more : [more]
  return [key, ...rest].reduce((value, part) => getItem(value, part), container)
}

const rekey = (data: unknown, key: unknown, duplicates: unknown): unknown => {
  const mode = toText(duplicates)
  if (mode !== 'error' && mode !== 'overwrite')
    throw filterError(`duplicates parameter to rekey_on_member has unknown value: ${mode}`)
  checkDefined(data)
  if (isString(data) || !isIterable(data)) throw filterTypeError('Type is not a valid list, set, or dict')
  const result = new Dict()
  for (const item of isDict(data) ? dictEntries(data).map(([, value]) => value) : iterate(data)) {
    if (!isDict(item)) throw filterTypeError('List item is not a valid dict')
    const name = dictGet(item, key)
    if (name === undefined) throw filterError(`Key ${toText(key)} was not found`)
    if (result.has(name) && mode === 'error')
      throw filterError(`Key ${toText(name)} is not unique, cannot correctly turn into dict`)
    result.set(name, item)
  }
  return result
}

const zip: Plugin = (_, value, args, keywords) => {
  const isStrict = isTruthy(keywords.get('strict') ?? false)
  for (const name of keywords.keys())
    if (name !== 'strict') throw typeError(`zip() got an unexpected keyword argument '${name}'`)
  const lists = [value, ...args].map(iterate)
  const length = Math.min(...lists.map((list) => list.length))
  if (isStrict && lists.some((list) => list.length !== length))
    throw valueError('zip() arguments differ in length')
  return Array.from({ length }, (__, index) => new Tuple(lists.map((list) => list[index])))
}

const zipLongest: Plugin = (_, value, args, keywords) => {
  for (const name of keywords.keys())
    if (name !== 'fillvalue') throw typeError('zip_longest() got an unexpected keyword argument')
  const lists = [value, ...args].map(iterate)
  const fill = keywords.get('fillvalue') ?? null
  const length = Math.max(...lists.map((list) => list.length))
  return Array.from(
    { length },
    (__, index) => new Tuple(lists.map((list) => (index < list.length ? list[index] : fill))),
  )
}

const product: Plugin = (_, value, args, keywords) => {
  for (const name of keywords.keys())
    if (name !== 'repeat') throw typeError(`'${name}' is an invalid keyword argument for product()`)
  const repeat = keywords.has('repeat') ? countArgument(keywords.get('repeat')) : 1
  if (repeat < 0) throw valueError('repeat argument cannot be negative')
  const lists = [value, ...args].map(iterate)
  let tuples: unknown[][] = [[]]
  for (let round = 0; round < repeat; round += 1)
    for (const list of lists) {
      spendItems(tuples.length * list.length)
      tuples = tuples.flatMap((tuple) => list.map((item) => [...tuple, item]))
    }
  return tuples.map((tuple) => new Tuple(tuple))
}

/** Tuples of `size` items: in all orders, or in the order of the list. */
const arrangements = (items: readonly unknown[], size: number, isOrdered: boolean): unknown[][] => {
  if (size < 0) throw valueError('r must be non-negative')
  let chosen: number[][] = [[]]
  for (let round = 0; round < size; round += 1) {
    spendItems(chosen.length * items.length)
    chosen = chosen.flatMap((indices) =>
      items
        .map((_, index) => index)
        .filter((index) => (isOrdered ? index > (indices.at(-1) ?? -1) : !indices.includes(index)))
        .map((index) => [...indices, index]),
    )
  }
  return chosen.map((indices) => indices.map((index) => items[index]))
}

export const STRUCTURE_FILTERS: Readonly<Record<string, Plugin>> = {
  combinations: filter('combinations(r)', (values, size) =>
    arrangements(iterate(values), countArgument(size), true).map((items) => new Tuple(items)),
  ),
  combine,
  dict2items: filter("dict2items(key_name='key', value_name='value')", dictToItems),
  extract: filter('extract(container, morekeys=None)', extract),
  flatten: filter('flatten(levels=None, skip_nulls=True)', (values, levels, skipsNulls) =>
    flatten(values, levels === null ? undefined : countArgument(levels), isTruthy(skipsNulls)),
  ),
  items2dict: filter("items2dict(key_name='key', value_name='value')", itemsToDict),
  permutations: filter('permutations(r=None)', (values, size) => {
    const items = iterate(values)
    return arrangements(items, size === null ? items.length : countArgument(size), false).map(
      (tuple) => new Tuple(tuple),
    )
  }),
  product,
  rekey_on_member: filter("rekey_on_member(key, duplicates='error')", rekey),
  subelements: filter('subelements(subelements, skip_missing=False)', subelements),
  zip,
  zip_longest: zipLongest,
}

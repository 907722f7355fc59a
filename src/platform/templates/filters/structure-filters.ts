/** Ansible's filters for lists and dictionaries. */
import type { Plugin } from '../compile/plugins.ts'
import { getItem } from '../methods/items.ts'
import { Dict, dictEntries, dictGet, isDict } from '../python/dict.ts'
import { isIterable, iterate } from '../python/iterate.ts'
import { filterError } from '../python/python-error.ts'
import { toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { checkDefined } from '../python/undefined.ts'
import { isString, Tuple } from '../python/value.ts'
import { arrangements, product, zip, zipLongest } from './combination-filters.ts'
import { combine } from './combine-dicts.ts'
import { countArgument, filter } from './define-filter.ts'
import { dictToItems, itemsToDict } from './dict-items.ts'
import { filterTypeError } from './filter-type-error.ts'
import { flatten } from './flatten.ts'
import { subelements } from './subelements.ts'

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

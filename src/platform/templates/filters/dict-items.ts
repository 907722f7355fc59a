/** The filters dict2items and items2dict. */
import { Dict, dictEntries, dictGet, isDict } from '../python/dict.ts'
import { isSequence, iterate } from '../python/iterate.ts'
import { repr } from '../python/repr.ts'
import { className } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import { filterTypeError } from './filter-type-error.ts'

export const dictToItems = (value: unknown, keyName: unknown, valueName: unknown): unknown => {
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

export const itemsToDict = (values: unknown, keyName: unknown, valueName: unknown): unknown => {
  if (!isSequence(values))
    throw filterTypeError(`items2dict requires a list, got ${className(values)} instead.`)
  const entries = iterate(values).map(
    (item) => [memberOf(item, keyName, values), memberOf(item, valueName, values)] as const,
  )
  if (entries.some(([key]) => Array.isArray(key) || isDict(key)))
    throw filterTypeError('items2dict requires a list of dictionaries')
  return Dict.of(entries)
}

/** The filter `combine`. */
import type { Plugin } from '../compile/plugins.ts'
import { contains, equals } from '../python/compare.ts'
import { type AnyDict, copyDict, Dict, dictEntries, dictGet, dictSize, isDict } from '../python/dict.ts'
import { filterError, PythonError } from '../python/python-error.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import { isString, plainCharactersOf, Tuple } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { checkDepth, spendItems } from '../work.ts'
import { flatten } from './flatten.ts'

const LIST_MERGES = ['replace', 'keep', 'append', 'prepend', 'append_rp', 'prepend_rp']

interface MergeOptions {
  readonly isRecursive: boolean
  readonly listMerge: string
}

const mergeLists = (
  low: readonly unknown[],
  high: readonly unknown[],
  listMerge: string,
): readonly unknown[] => {
  spendItems(low.length + high.length)
  const others = (): unknown[] => low.filter((item) => !contains(high, item))
  switch (listMerge) {
    case 'keep':
      return low
    case 'append':
      return [...low, ...high]
    case 'prepend':
      return [...high, ...low]
    case 'append_rp':
      return [...others(), ...high]
    case 'prepend_rp':
      return [...high, ...others()]
    default:
      return high
  }
}

const mergeValues = (low: unknown, high: unknown, options: MergeOptions, depth: number): unknown => {
  if (isDict(low) && isDict(high)) return options.isRecursive ? merge(low, high, options, depth + 1) : high
  return Array.isArray(low) && Array.isArray(high) ? mergeLists(low, high, options.listMerge) : high
}

/** The values of `high` take precedence. */
const merge = (low: AnyDict, high: AnyDict, options: MergeOptions, depth = 0): AnyDict => {
  checkDepth(depth)
  if (dictSize(low) === 0 || equals(low, high)) return copyDict(high)
  const result = copyDict(low)
  for (const [key, value] of dictEntries(high))
    result.set(key, result.has(key) ? mergeValues(dictGet(low, key), value, options, depth) : value)
  return result
}

const checkNested = (value: unknown, depth = 0): void => {
  checkDepth(depth)
  if (value instanceof Undefined) value.fail()
  if (Array.isArray(value)) for (const item of value) checkNested(item, depth + 1)
  else if (isDict(value)) for (const [, item] of dictEntries(value)) checkNested(item, depth + 1)
}

const checkDicts = (a: unknown, b: unknown): void => {
  if (isDict(a) && isDict(b)) return
  throw new PythonError(
    'AnsibleError',
    `failed to combine variables, expected dicts but got a '${typeName(a)}' and a '${typeName(b)}'`,
  )
}

export const combine: Plugin = (_, value, args, keywords) => {
  for (const name of keywords.keys())
    if (name !== 'recursive' && name !== 'list_merge')
      throw filterError("'recursive' and 'list_merge' are the only valid keyword arguments")
  const given = keywords.get('list_merge') ?? 'replace'
  const options: MergeOptions = {
    isRecursive: isTruthy(keywords.get('recursive') ?? false),
    listMerge: isString(given) ? plainCharactersOf(given) : '',
  }
  const dicts = flatten(new Tuple([value, ...args]), 1, true)
  checkNested(dicts)
  if (dicts.length === 0) return new Dict()
  let result = dicts.at(-1)
  for (const dict of dicts.slice(0, -1).reverse()) {
    if (!LIST_MERGES.includes(options.listMerge))
      throw new PythonError(
        'AnsibleError',
        "merge_hash: 'list_merge' argument can only be equal to 'replace', 'keep', 'append', 'prepend', 'append_rp' or 'prepend_rp'",
      )
    checkDicts(dict, result)
    result = merge(dict as AnyDict, result as AnyDict, options)
  }
  if (result instanceof Undefined) throw new UnsupportedTemplate('combine of undefined values')
  return result
}

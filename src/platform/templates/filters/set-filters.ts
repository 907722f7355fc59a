/** Ansible's filters that treat lists as sets. */
import type { Plugin } from '../compile/plugins.ts'
import { add } from '../python/arithmetic.ts'
import { contains } from '../python/compare.ts'
import { Dict, isDict } from '../python/dict.ts'
import { iterate } from '../python/iterate.ts'
import { filterError, PythonError } from '../python/python-error.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { checkDefined } from '../python/undefined.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { attributeGetter, ignoreCase } from './attribute-getter.ts'
import { filter } from './define-filter.ts'

/** Supports only hashable items, as Jinja's filter does. */
const uniqueByKey = (values: unknown, isCaseSensitive: boolean, attribute: unknown): unknown[] => {
  const getter = attributeGetter(attribute)
  const seen = new Dict()
  return iterate(values).filter((item) => {
    const key = isCaseSensitive ? getter(item) : ignoreCase(getter(item))
    if (seen.has(key)) return false
    seen.set(key, true)
    return true
  })
}

const uniqueByEquality = (values: unknown): unknown[] => {
  const kept: unknown[] = []
  for (const item of iterate(values)) if (!contains(kept, item)) kept.push(item)
  return kept
}

const unique = (values: unknown, isCaseSensitive: unknown, attribute: unknown): unknown[] => {
  try {
    return uniqueByKey(values, isTruthy(isCaseSensitive), attribute)
  } catch (error) {
    if (!(error instanceof PythonError)) throw error
    if (isCaseSensitive === false || isTruthy(attribute))
      throw filterError(
        "Jinja2's unique filter failed and we cannot fall back to Ansible's version as it does not support the parameters " +
          `supplied. ${error.message}`,
      )
    return uniqueByEquality(values)
  }
}

/** Two values that are not lists become a set, whose order is arbitrary. */
const checkLists = (a: unknown, b: unknown): void => {
  checkDefined(a)
  const isUnhashable = (value: unknown): boolean => Array.isArray(value) || isDict(value)
  if (!isUnhashable(a) && !isUnhashable(b))
    throw new UnsupportedTemplate(`sets of values of the types ${typeName(a)} and ${typeName(b)}`)
}

const intersect = (a: unknown, b: unknown): unknown[] => {
  checkLists(a, b)
  return unique(
    iterate(a).filter((item) => contains(b, item)),
    true,
    null,
  )
}

const difference = (a: unknown, b: unknown): unknown[] => {
  checkLists(a, b)
  return unique(
    iterate(a).filter((item) => !contains(b, item)),
    true,
    null,
  )
}

const union = (a: unknown, b: unknown): unknown[] => {
  checkLists(a, b)
  return unique(add(a, b), true, null)
}

const symmetricDifference = (a: unknown, b: unknown): unknown[] => {
  checkLists(a, b)
  const shared = intersect(a, b)
  return union(a, b).filter((item) => !contains(shared, item))
}

export const SET_FILTERS: Readonly<Record<string, Plugin>> = {
  difference: filter('difference(b)', difference),
  intersect: filter('intersect(b)', intersect),
  symmetric_difference: filter('symmetric_difference(b)', symmetricDifference),
  union: filter('union(b)', union),
  unique: filter('unique(case_sensitive=None, attribute=None)', unique),
}

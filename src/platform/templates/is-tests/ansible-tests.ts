/** Ansible's tests of task results, regular expressions, sets and versions. */
import type { Plugin } from '../compile/plugins.ts'
import { filter } from '../filters/define-filter.ts'
import { flagsOf, patternOf } from '../filters/regex-filters.ts'
import { splitUrl } from '../filters/split-url.ts'
import { contains, equals } from '../python/compare.ts'
import { Dict, dictGet, dictHas, isDict } from '../python/dict.ts'
import { iterate } from '../python/iterate.ts'
import { filterError, PythonError } from '../python/python-error.ts'
import { toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { Undefined } from '../python/undefined.ts'
import { isString, plainCharactersOf } from '../python/value.ts'
import { matchesPattern } from '../regex/python-pattern.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { compareVersions } from './compare-versions.ts'

/** A member of a task result. */
const resultMember =
  (test: string, member: string) =>
  (result: unknown): unknown => {
    if (!isDict(result)) throw filterError(`The '${test}' test expects a dictionary`)
    const value = dictGet(result, member)
    return value === undefined ? false : value
  }

const failed = resultMember('failed', 'failed')
const unreachable = resultMember('unreachable', 'unreachable')

const changed = (result: unknown): unknown => {
  const own = resultMember('changed', 'changed')(result)
  const dict = result as Readonly<Record<string, unknown>>
  const results = dictGet(dict, 'results')
  if (dictHas(dict, 'changed') || !Array.isArray(results)) return own
  if (results.length === 0) throw new PythonError('IndexError', 'list index out of range')
  if (!isDict(results[0])) return false
  return results.some((item) => isDict(item) && isTruthy(dictGet(item, 'changed') ?? false))
}

/** `started` and `finished` are 0 or 1 for asynchronous tasks, and missing for others. */
const asyncState =
  (name: string) =>
  (result: unknown): boolean => {
    if (!isDict(result)) throw filterError(`The '${name}' test expects a dictionary`)
    const state = dictGet(result, name)
    return state === undefined || equals(state, 1)
  }

const regex =
  (type: string) => (value: unknown, pattern: unknown, ignoreCase: unknown, multiline: unknown) => {
    const text = toText(value)
    if (type !== 'search' && type !== 'match' && type !== 'fullmatch')
      throw new UnsupportedTemplate(`the match type ${type}`)
    return matchesPattern(patternOf(pattern), flagsOf(ignoreCase, multiline), text, type)
  }

const TRUE_WORDS = new Set(['y', 'yes', 'on', '1', 'true', 't'])
const FALSE_WORDS = new Set(['n', 'no', 'off', '0', 'false', 'f'])

/** Converts a string or number that represents a boolean. */
const convertBool = (value: unknown): unknown => {
  if (value instanceof Undefined) value.fail()
  if (!isString(value)) return value
  const word = plainCharactersOf(value).toLowerCase().trim()
  return TRUE_WORDS.has(word) ? true : FALSE_WORDS.has(word) ? false : value
}

const isTruthyValue = (value: unknown, convertsBool: unknown): boolean =>
  isTruthy(isTruthy(convertsBool) ? convertBool(value) : value)

const setOf = (values: unknown): Dict => Dict.of(iterate(values).map((item) => [item, true] as const))

const isSubset = (a: unknown, b: unknown): boolean => {
  const [left, right] = [setOf(a), setOf(b)]
  return left.keys().every((item) => right.has(item))
}

const isUrl = (value: unknown, schemes: unknown): boolean => {
  if (!isString(value)) throw new UnsupportedTemplate('the test url for values that are not strings')
  try {
    const parts = splitUrl(plainCharactersOf(value))
    const scheme = parts.get('scheme')
    if (isTruthy(schemes) && !contains(schemes, scheme)) return false
    return isTruthy(parts.get('netloc')) || scheme === 'file'
  } catch (error) {
    // The port is not read here, so an invalid port is not an error.
    if (error instanceof PythonError) throw new UnsupportedTemplate('the test url for this text')
    throw error
  }
}

const REGEX_PARAMETERS = "(pattern='', ignorecase=False, multiline=False)"

export const ANSIBLE_TESTS: Readonly<Record<string, Plugin>> = {
  abs: filter('isabs()', (value) => {
    if (!isString(value)) throw new UnsupportedTemplate('the test abs for values that are not strings')
    return plainCharactersOf(value).startsWith('/')
  }),
  all: filter('all()', (values) => iterate(values).every(isTruthy)),
  any: filter('any()', (values) => iterate(values).some(isTruthy)),
  change: filter('changed()', changed),
  changed: filter('changed()', changed),
  contains: filter('contains(value)', contains),
  failed: filter('failed()', failed),
  failure: filter('failed()', failed),
  falsy: filter('falsy(convert_bool=False)', (value, convertsBool) => !isTruthyValue(value, convertsBool)),
  finished: filter('finished()', asyncState('finished')),
  issubset: filter('issubset(b)', isSubset),
  issuperset: filter('issuperset(b)', (a, b) => isSubset(b, a)),
  match: filter(`match${REGEX_PARAMETERS}`, regex('match')),
  reachable: filter('reachable()', (result) => !isTruthy(unreachable(result))),
  regex: filter(
    "regex(pattern='', ignorecase=False, multiline=False, match_type='search')",
    (value, pattern, ignoreCase, multiline, type) =>
      regex(toText(type))(value, pattern, ignoreCase, multiline),
  ),
  search: filter(`search${REGEX_PARAMETERS}`, regex('search')),
  skip: filter('skipped()', resultMember('skipped', 'skipped')),
  skipped: filter('skipped()', resultMember('skipped', 'skipped')),
  started: filter('started()', asyncState('started')),
  subset: filter('issubset(b)', isSubset),
  succeeded: filter('success()', (result) => !isTruthy(failed(result))),
  success: filter('success()', (result) => !isTruthy(failed(result))),
  successful: filter('success()', (result) => !isTruthy(failed(result))),
  superset: filter('issuperset(b)', (a, b) => isSubset(b, a)),
  truthy: filter('truthy(convert_bool=False)', isTruthyValue),
  unreachable: filter('unreachable()', unreachable),
  url: filter('is_url(schemes=None)', isUrl),
  version: filter("version_compare(version, operator='eq', strict=None, version_type=None)", compareVersions),
  version_compare: filter(
    "version_compare(version, operator='eq', strict=None, version_type=None)",
    compareVersions,
  ),
}

/** Ansible's filters that check, choose or describe values. */
import type { Plugin } from '../compile/plugins.ts'
import { contains } from '../python/compare.ts'
import { filterError } from '../python/python-error.ts'
import { toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import { isString, plainCharactersOf } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { filter } from './define-filter.ts'

const TRUE_VALUES = ['yes', 'on', '1', 'true', 1]

const toBool = (value: unknown): unknown => {
  if (value === null || typeof value === 'boolean') return value
  const lower = isString(value) ? plainCharactersOf(value).toLowerCase() : value
  return contains(TRUE_VALUES, lower)
}

const mandatory = (value: unknown, message: unknown): unknown => {
  if (!(value instanceof Undefined)) return value
  if (message !== null) throw filterError(toText(message))
  const { name } = value.origin
  throw filterError(`Mandatory variable ${name === undefined ? '' : `'${toText(name)}' `} not defined.`)
}

const ternary = (value: unknown, whenTrue: unknown, whenFalse: unknown, whenNone: unknown): unknown => {
  if (value === null && whenNone !== null) return whenNone
  return isTruthy(value) ? whenTrue : whenFalse
}

/** Strings have different types in Ansible, depending on their source. */
const typeDebug = (value: unknown): string => {
  if (typeof value === 'string') throw new UnsupportedTemplate('the filter type_debug for strings')
  return typeName(value)
}

export const VALUE_FILTERS: Readonly<Record<string, Plugin>> = {
  bool: filter('to_bool()', toBool),
  mandatory: filter('mandatory(msg=None)', mandatory),
  ternary: filter('ternary(true_val, false_val, none_val=None)', ternary),
  type_debug: filter('type_debug()', typeDebug),
}

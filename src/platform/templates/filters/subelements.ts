/** The filter subelements. */
import { dictEntries, dictGet, isDict } from '../python/dict.ts'
import { filterError } from '../python/python-error.ts'
import { repr, toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { checkDefined, Undefined } from '../python/undefined.ts'
import { isString, plainCharactersOf, Tuple } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { filterTypeError } from './filter-type-error.ts'

export const subelements = (value: unknown, path: unknown, skipsMissing: unknown): unknown => {
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

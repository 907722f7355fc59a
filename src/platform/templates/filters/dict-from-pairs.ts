/** Makes a dictionary of pairs, as `dict(...)` does. */
import { Dict, dictEntries, isDict } from '../python/dict.ts'
import { iterate } from '../python/iterate.ts'
import { PythonError, typeError } from '../python/python-error.ts'
import { typeName } from '../python/type-name.ts'
import { isNumeric, Range } from '../python/value.ts'

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

/** The filters random and shuffle, with a seed. */
import { iterate } from '../python/iterate.ts'
import { filterError, PythonError } from '../python/python-error.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { isInt, isNumeric, isString } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { countArgument } from './define-filter.ts'
import { seededRandom } from './seeded-random.ts'

export const random = (value: unknown, start: unknown, step: unknown, seed: unknown): unknown => {
  if (seed === null) throw new UnsupportedTemplate('the filter random without a seed')
  const generator = seededRandom(seed)
  if (isInt(value) || typeof value === 'boolean') {
    const [first, stride] = [start, step].map((part) =>
      part !== null && isTruthy(part) ? countArgument(part) : undefined,
    )
    return generator.range(first ?? 0, countArgument(value), stride ?? 1)
  }
  if (isNumeric(value) || value === null)
    throw filterError('random can only be used on sequences and integers')
  if (isTruthy(start) || isTruthy(step))
    throw filterError('start and step can only be used with integer values')
  const isIndexed = isString(value) || Array.isArray(value)
  if (!isIndexed)
    throw new UnsupportedTemplate(`the filter random for a value of the type ${typeName(value)}`)
  const items = iterate(value)
  if (items.length === 0) throw new PythonError('IndexError', 'Cannot choose from an empty sequence')
  return items[generator.below(items.length)]
}

export const shuffle = (values: unknown, seed: unknown): unknown => {
  if (!isTruthy(seed)) throw new UnsupportedTemplate('the filter shuffle without a seed')
  const items = [...iterate(values)]
  const generator = seededRandom(seed)
  for (let index = items.length - 1; index > 0; index -= 1) {
    const other = generator.below(index + 1)
    const moved = items[index]
    items[index] = items[other]
    items[other] = moved
  }
  return items
}

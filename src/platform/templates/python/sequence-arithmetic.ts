/** Concatenates and repeats strings, lists and tuples. */
import { spendItems, spendText } from '../work.ts'
import { typeError } from './python-error.ts'
import { typeName } from './type-name.ts'
import { charactersOf, isString, Tuple } from './value.ts'

export const concatenate = (a: unknown, b: unknown): unknown => {
  if (isString(a)) {
    if (!isString(b)) throw typeError(`can only concatenate str (not "${typeName(b)}") to str`)
    const text = charactersOf(a) + charactersOf(b)
    spendText(text.length)
    return text
  }
  const [left, right] = [a, b].map((side) => (side instanceof Tuple ? side.items : (side as unknown[])))
  const isSameType = Array.isArray(a) ? Array.isArray(b) : b instanceof Tuple
  if (!isSameType)
    throw typeError(`can only concatenate ${typeName(a)} (not "${typeName(b)}") to ${typeName(a)}`)
  spendItems(left!.length + right!.length)
  const items = [...left!, ...right!]
  return Array.isArray(a) ? items : new Tuple(items)
}

export const isConcatenable = (value: unknown): boolean =>
  isString(value) || Array.isArray(value) || value instanceof Tuple

export const repeat = (value: unknown, times: number): unknown => {
  const count = Math.max(0, times)
  if (isString(value)) {
    const text = charactersOf(value)
    spendText(text.length * count)
    return text.repeat(count)
  }
  const items = value instanceof Tuple ? value.items : (value as unknown[])
  spendItems(items.length * count)
  const repeated = Array.from({ length: items.length * count }, (_, index) => items[index % items.length])
  return Array.isArray(value) ? repeated : new Tuple(repeated)
}

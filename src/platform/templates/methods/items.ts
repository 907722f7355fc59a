/** `value[key]` and `value.name`, by the rules of Jinja: a missing item is undefined. */
import { toCharacters } from '../python/characters.ts'
import { dictGet, dictHas, isDict } from '../python/dict.ts'
import { PythonError, typeError } from '../python/python-error.ts'
import { repr, reprText } from '../python/repr.ts'
import { describeType, typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import {
  charactersOf,
  indexOf,
  isNumeric,
  isString,
  plainCharactersOf,
  Range,
  Tuple,
} from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spendItems } from '../work.ts'
import { attributeOf } from './attribute-of.ts'

const itemAt = <T>(items: ArrayLike<T>, key: unknown): T | undefined => {
  const index = indexOf(key)
  return index === undefined ? undefined : items[index < 0 ? index + items.length : index]
}

/** Implemented by values that define their own items, such as `hostvars`. */
interface ItemOwner {
  /** Returns undefined if there is no such item. */
  item(key: unknown): unknown
}

const ownsItems = (value: unknown): value is ItemOwner =>
  typeof value === 'object' && value !== null && 'item' in value && !isDict(value)

/** Returns undefined if Python would raise a LookupError or a TypeError. */
const itemOf = (value: unknown, key: unknown): unknown => {
  if (Array.isArray(value)) return itemAt(value, key)
  if (isDict(value)) {
    const isUnhashable = Array.isArray(key) || isDict(key)
    return isUnhashable || !dictHas(value, key) ? undefined : dictGet(value, key)
  }
  if (isString(value)) return isNumeric(key) ? itemAt(toCharacters(charactersOf(value)), key) : undefined
  if (value instanceof Tuple) return itemAt(value.items, key)
  if (!(value instanceof Range)) return ownsItems(value) ? value.item(key) : undefined
  const index = indexOf(key)
  const place = index === undefined || index >= 0 ? index : index + value.length
  return place === undefined || place < 0 || place >= value.length
    ? undefined
    : value.start + place * value.step
}

const missing = (value: unknown, name: unknown): Undefined => {
  const plain = isString(name) ? plainCharactersOf(name) : name
  const nameRepr = typeof plain === 'string' ? reprText(plain) : repr(plain)
  return new Undefined({ owner: describeType(value), name: plain, nameRepr })
}

/** `value[key]`: the item, or else the attribute. */
export const getItem = (value: unknown, key: unknown): unknown => {
  if (value instanceof Undefined) return value.isStrict ? value : value.fail()
  const item = itemOf(value, key)
  if (item !== undefined) return item
  const attribute = isString(key) ? attributeOf(value, plainCharactersOf(key)) : undefined
  return attribute === undefined ? missing(value, key) : attribute
}

/** `value.name`: the attribute, or else the item. */
export const getAttribute = (value: unknown, name: string): unknown => {
  if (value instanceof Undefined) {
    if (name.startsWith('__')) throw new UnsupportedTemplate(`the attribute ${name}`)
    return value.isStrict ? value : value.fail()
  }
  const attribute = attributeOf(value, name)
  if (attribute !== undefined) return attribute
  const item = itemOf(value, name)
  return item === undefined ? missing(value, name) : item
}

const bound = (value: unknown, fallback: number): number => {
  if (value === null) return fallback
  const index = indexOf(value)
  if (index === undefined)
    throw typeError('slice indices must be integers or None or have an __index__ method')
  return index
}

/** The indices that a slice selects, as Python computes them. */
const sliceIndices = (length: number, start: unknown, stop: unknown, step: unknown): number[] => {
  const stride = bound(step, 1)
  if (stride === 0) throw new PythonError('ValueError', 'slice step cannot be zero')
  const [low, high] = stride > 0 ? [0, length] : [-1, length - 1]
  const clamp = (value: unknown, fallback: number): number => {
    const index = bound(value, Number.NaN)
    if (Number.isNaN(index)) return fallback
    return Math.min(Math.max(index < 0 ? index + length : index, low), high)
  }
  const [first, last] = [clamp(start, stride > 0 ? low : high), clamp(stop, stride > 0 ? high : low)]
  const count = Math.max(0, Math.ceil((last - first) / stride))
  spendItems(count)
  return Array.from({ length: count }, (_, index) => first + index * stride)
}

/** `value[start:stop:step]`. */
export const getSlice = (value: unknown, start: unknown, stop: unknown, step: unknown): unknown => {
  if (value instanceof Undefined) return value.isStrict ? value : value.fail()
  for (const part of [start, stop, step])
    if (part instanceof Undefined)
      throw typeError('slice indices must be integers or None or have an __index__ method: AnsibleUndefined')
  if (isString(value)) {
    const characters = toCharacters(charactersOf(value))
    return sliceIndices(characters.length, start, stop, step)
      .map((index) => characters[index])
      .join('')
  }
  if (Array.isArray(value)) return sliceIndices(value.length, start, stop, step).map((index) => value[index])
  if (value instanceof Tuple) {
    return new Tuple(sliceIndices(value.items.length, start, stop, step).map((index) => value.items[index]))
  }
  if (value instanceof Range) throw new UnsupportedTemplate('slices of ranges')
  if (isDict(value)) throw typeError("unhashable type: 'slice'")
  throw typeError(`'${typeName(value)}' object is not subscriptable`)
}

/** Iteration over values and their lengths. */
import { UnsupportedTemplate } from '../template-error.ts'
import { spendItems } from '../work.ts'
import { lengthOf, toCharacters } from './characters.ts'
import { DictView, dictKeys, dictSize, isDict } from './dict.ts'
import { typeError } from './python-error.ts'
import { typeName } from './type-name.ts'
import { Undefined } from './undefined.ts'
import {
  Callable,
  charactersOf,
  isNumeric,
  isString,
  Namespace,
  plainCharactersOf,
  Range,
  Tuple,
} from './value.ts'

const rangeItems = ({ start, step, length }: Range): number[] => {
  spendItems(length)
  return Array.from({ length }, (_, index) => start + index * step)
}

const itemsOf = (value: unknown): readonly unknown[] | undefined => {
  if (Array.isArray(value)) return value
  if (value instanceof Tuple) return value.items
  if (isString(value)) return toCharacters(charactersOf(value))
  if (isDict(value)) return dictKeys(value)
  if (value instanceof Range) return rangeItems(value)
  return value instanceof DictView ? value.items() : undefined
}

/** The items of a list, tuple, range or view, the characters of a string, or the keys of a dictionary. Do not change the result. */
export const iterate = (value: unknown): readonly unknown[] => {
  const items = itemsOf(value)
  if (items !== undefined) {
    spendItems(items.length)
    return items
  }
  if (value instanceof Undefined) return value.isStrict ? value.fail() : []
  if (value === null || isNumeric(value) || value instanceof Callable || value instanceof Namespace)
    throw typeError(`'${typeName(value)}' object is not iterable`)
  throw new UnsupportedTemplate(`iteration over a value of the type ${typeName(value)}`)
}

/** `list(value)`. */
export const toList = (value: unknown): unknown[] => [...iterate(value)]

export const isIterable = (value: unknown): boolean =>
  Array.isArray(value) ||
  value instanceof Tuple ||
  isString(value) ||
  isDict(value) ||
  value instanceof Range ||
  value instanceof DictView

/** `len(value)`. */
export const pythonLength = (value: unknown): number => {
  if (Array.isArray(value)) return value.length
  if (isString(value)) return lengthOf(plainCharactersOf(value))
  if (isDict(value)) return dictSize(value)
  if (value instanceof Tuple) return value.items.length
  if (value instanceof Range) return value.length
  if (value instanceof DictView) return dictSize(value.dict)
  if (value instanceof Undefined) return value.isStrict ? value.fail() : 0
  if (value === null || isNumeric(value)) throw typeError(`object of type '${typeName(value)}' has no len()`)
  throw new UnsupportedTemplate(`the length of a value of the type ${typeName(value)}`)
}

/** Whether Ansible treats the value as a sequence: lists, tuples and ranges. */
export const isSequence = (value: unknown): value is unknown[] | Tuple | Range => {
  if (value instanceof Undefined) value.fail()
  return Array.isArray(value) || value instanceof Tuple || value instanceof Range
}

/** Functions on values of any type: conversion, members, size. */
import { ExpressionError, kindOf } from '../expression-error.ts'
import { isSame } from '../operators.ts'
import {
  asList,
  asMap,
  asText,
  defineFunction,
  type ExpressionFunctions,
  valueAt,
} from './define-function.ts'

const toNumber = (name: string, value: unknown): number => {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  const input = asText(name, value).trim()
  const number = input === '' ? Number.NaN : Number(input)
  if (!Number.isFinite(number)) throw new ExpressionError(`${name}() got "${value}", which is not a number`)
  return number
}

/** Converts a value to text, as templates do. */
export const toText = (value: unknown): string => {
  if (value === null || value === undefined) throw new ExpressionError('null cannot be converted to text')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const toBoolean = (value: unknown): boolean => {
  if (typeof value === 'boolean') return value
  if (value === 'true' || value === 'false') return value === 'true'
  throw new ExpressionError(`bool() needs true or false, got ${kindOf(value)}`)
}

const sizeOf = (value: unknown): number => {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return Object.keys(asMap('size', value)).length
}

const parseJson = (value: unknown): unknown => {
  try {
    return JSON.parse(asText('parseJson', value)) as unknown
  } catch (error) {
    if (error instanceof ExpressionError) throw error
    throw new ExpressionError(`parseJson() got text that is not JSON: ${String(value).slice(0, 40)}`)
  }
}

const contains = (value: unknown, part: unknown): boolean =>
  Array.isArray(value)
    ? value.some((item) => isSame(item, part))
    : asText('contains', value).includes(asText('contains', part))

export const VALUE_FUNCTIONS: ExpressionFunctions = {
  int: defineFunction(1, (value) => Math.trunc(toNumber('int', value))),
  double: defineFunction(1, (value) => toNumber('double', value)),
  string: defineFunction(1, toText),
  bool: defineFunction(1, toBoolean),
  dyn: defineFunction(1, (value) => value),
  size: defineFunction(1, sizeOf),
  contains: defineFunction(2, contains),
  get: defineFunction(2, (value, path, fallback = null) => valueAt(value, String(path)) ?? fallback, 3),
  merge: defineFunction(2, (a, b) => ({ ...asMap('merge', a), ...asMap('merge', b) })),
  parseJson: defineFunction(1, parseJson),
  toJson: defineFunction(1, (value) => JSON.stringify(value)),
  entries: defineFunction(1, (value) =>
    Object.entries(asMap('entries', value)).map(([key, member]) => ({ key, value: member })),
  ),
  fromEntries: defineFunction(1, (pairs) =>
    Object.fromEntries(
      asList('fromEntries', pairs).map((pair) => {
        const [key, value] = asList('fromEntries', pair)
        return [toText(key), value ?? null]
      }),
    ),
  ),
  keys: defineFunction(1, (value) => Object.keys(asMap('keys', value))),
  values: defineFunction(1, (value) => Object.values(asMap('values', value))),
}

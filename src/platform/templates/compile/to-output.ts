/** Converts results to plain data: tuples to lists, and dictionaries to plain objects if that preserves the order of their keys. */

import { isPlainObject, setMember } from '#kit'
import { Dict } from '../python/dict.ts'
import { Float, Text, Tuple } from '../python/value.ts'
import { checkDepth, spend } from '../work.ts'

/** Marks a value without a plain form; Ansible uses its text. */
export const NO_OUTPUT = Symbol('no output')

const isIndex = (key: string): boolean => /^(0|[1-9]\d*)$/.test(key)

const listOutput = (items: readonly unknown[], depth: number): unknown => {
  spend(items.length)
  let copy: unknown[] | undefined
  for (const [index, item] of items.entries()) {
    const output = outputAt(item, depth + 1)
    if (output === NO_OUTPUT) return NO_OUTPUT
    if (output !== item) copy ??= [...items]
    if (copy !== undefined) copy[index] = output
  }
  return copy ?? items
}

const objectOutput = (object: Readonly<Record<string, unknown>>, depth: number): unknown => {
  let copy: Record<string, unknown> | undefined
  for (const key of Object.keys(object)) {
    spend(1)
    const output = outputAt(object[key], depth + 1)
    if (output === NO_OUTPUT) return NO_OUTPUT
    if (output !== object[key]) copy ??= { ...object }
    if (copy !== undefined) setMember(copy, key, output)
  }
  return copy ?? object
}

const dictOutput = (dict: Dict, depth: number): unknown => {
  const entries: [unknown, unknown][] = []
  for (const [key, value] of dict.entries()) {
    spend(1)
    const [name, output] = [outputAt(key, depth + 1), outputAt(value, depth + 1)]
    if (output === NO_OUTPUT || name === NO_OUTPUT || Array.isArray(name)) return NO_OUTPUT
    entries.push([name, output])
  }
  const isObject = entries.every(
    ([key]) => typeof key === 'string' && (entries.length === 1 || !isIndex(key)),
  )
  if (!isObject) return Dict.of(entries)
  const object: Record<string, unknown> = {}
  for (const [key, value] of entries) setMember(object, key as string, value)
  return object
}

const outputAt = (value: unknown, depth: number): unknown => {
  checkDepth(depth)
  if (value === undefined) return null
  if (typeof value !== 'object' || value === null || value instanceof Float) return value
  // The text of a list with Markup in it is not a literal.
  if (value instanceof Text) return value.kind === 'Markup' ? NO_OUTPUT : value.text
  if (Array.isArray(value)) return listOutput(value, depth)
  if (value instanceof Tuple) return listOutput([...value.items], depth)
  if (value instanceof Dict) return dictOutput(value, depth)
  return isPlainObject(value) ? objectOutput(value, depth) : NO_OUTPUT
}

/** Returns NO_OUTPUT for values without a plain form, such as a range in a list. */
export const toOutput = (value: unknown): unknown => outputAt(value, 0)

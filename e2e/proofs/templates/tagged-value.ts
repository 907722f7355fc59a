/** Values with their Python types, as evaluate-with-ansible.py writes them. */
import { Dict, Float } from '#platform/templates'

const isIndex = (key: string): boolean => /^(0|[1-9]\d*)$/.test(key)

/** Floats, large ints and dictionaries become objects with one key; other values are JSON. */
export const toTagged = (value: unknown): unknown => {
  if (value instanceof Float) return { float: floatName(value.value) }
  if (typeof value === 'bigint') return { int: value.toString() }
  if (typeof value === 'number' && !Number.isInteger(value)) return { float: floatName(value) }
  if (Array.isArray(value)) return value.map(toTagged)
  if (value instanceof Dict)
    return { dict: value.entries().map(([key, item]) => [toTagged(key), toTagged(item)]) }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    // The order of such keys is not known in JavaScript.
    if (entries.length > 1 && entries.some(([key]) => isIndex(key))) return { unordered: value }
    return { dict: entries.map(([key, item]) => [key, toTagged(item)]) }
  }
  return value
}

/** Both sides compare floats by their values. */
const floatName = (value: number): string => String(value)

/** Answers of Ansible have floats in Python's notation. */
export const normaliseTagged = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(normaliseTagged)
  if (typeof value !== 'object' || value === null) return value
  if ('float' in value) return { float: floatName(Number(value.float)) }
  if ('dict' in value) return { dict: normaliseTagged(value.dict) }
  return value
}

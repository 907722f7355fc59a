/** Formats JSON values and types as Go does in messages. */
import { isPlainObject } from '#kit'

/** Formats a value as Go's `%v`, with sorted keys: `map[image:nginx ports:[80 443]]`. */
export const goText = (value: unknown): string => {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (!isPlainObject(value)) return String(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goText(value[key])}`)
  return `map[${members.join(' ')}]`
}

/** Returns the name of a value's JSON type, as in the messages of Go's decoder. */
export const jsonKind = (value: unknown): string => {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** Returns the Go type of a decoded JSON value. */
export const goType = (value: unknown): string => {
  if (Array.isArray(value)) return '[]interface {}'
  if (isPlainObject(value)) return 'map[string]interface {}'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  if (typeof value === 'boolean') return 'bool'
  return value === null ? '%!s(<nil>)' : typeof value
}

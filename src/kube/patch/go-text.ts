/** JSON values as Go prints them with %v, which is how they stand in messages. */
import { isPlainObject } from './plain-object.ts'

/** `map[image:nginx ports:[80 443]]`, keys sorted. */
export const goText = (value: unknown): string => {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (!isPlainObject(value)) return String(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goText(value[key])}`)
  return `map[${members.join(' ')}]`
}

/** What a JSON value is in the messages of Go's decoder. */
export const jsonKind = (value: unknown): string => {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** The name of a JSON value's type in Go. */
export const goType = (value: unknown): string => {
  if (Array.isArray(value)) return '[]interface {}'
  if (isPlainObject(value)) return 'map[string]interface {}'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  if (typeof value === 'boolean') return 'bool'
  return value === null ? '%!s(<nil>)' : typeof value
}

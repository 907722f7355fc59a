/** Resolves the variables of a play: their values are templates, too. */
import { isPlainObject, setMember } from '#kit'
import { Dict } from './python/dict.ts'
import { Float, Tuple } from './python/value.ts'
import { UnsupportedTemplate } from './template-error.ts'
import { UnsafeValue } from './unsafe-value.ts'
import { checkDepth, spend } from './work.ts'

/** Whether text may be a template. */
export const isPossiblyTemplate = (text: string): boolean =>
  text.includes('{') && (text.includes('{{') || text.includes('{%') || text.includes('{#'))

/** Whether rendering a value returns the value itself. */
const isPlainAt = (value: unknown, depth: number): boolean => {
  if (typeof value === 'string') return !isPossiblyTemplate(value)
  if (typeof value !== 'object' || value === null || value instanceof Float) return true
  checkDepth(depth)
  if (!Array.isArray(value) && !isPlainObject(value)) return false
  const members = Array.isArray(value) ? value : Object.values(value)
  spend(members.length)
  return members.every((member) => isPlainAt(member, depth + 1))
}

/** Applies `render` to the strings in a value; keys of dictionaries stay unchanged. */
export const renderStructure = (
  value: unknown,
  render: (text: string) => unknown,
  onUnsafe: (value: UnsafeValue) => unknown,
  depth = 0,
): unknown => {
  if (typeof value === 'string') return isPossiblyTemplate(value) ? render(value) : value
  if (value instanceof UnsafeValue) return onUnsafe(value)
  if (isPlainAt(value, depth)) return value ?? null
  const inner = (member: unknown): unknown => renderStructure(member, render, onUnsafe, depth + 1)
  if (Array.isArray(value)) return value.map(inner)
  if (value instanceof Tuple) return value.items.map(inner)
  if (value instanceof Dict)
    return Dict.of(value.entries().map(([key, member]) => [key, inner(member)] as const))
  if (!isPlainObject(value)) throw new UnsupportedTemplate('values of this type in variables')
  const result: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) setMember(result, key, inner(member))
  return result
}

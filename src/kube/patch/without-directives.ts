/** What remains of a patch value that meets nothing to be merged with. */
import { setMember } from '../../kit/index.ts'
import { isPlainObject } from './plain-object.ts'

/** The value without null members and without anything that carries a `$patch` directive, which gives undefined. */
export const withoutDirectives = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((element) => element !== undefined)
  if (!isPlainObject(value)) return value
  if ('$patch' in value) return undefined
  const kept: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    const taken = member === null ? undefined : withoutDirectives(member)
    if (taken !== undefined) setMember(kept, key, taken)
  }
  return kept
}

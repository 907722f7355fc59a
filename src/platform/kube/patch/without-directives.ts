/** Removes `$patch` directives and nulls from a patch value that has no counterpart in the original. */
import { isPlainObject, setMember } from '#kit'

/** Returns the value without null members and without objects that carry a `$patch` directive. */
export const withoutDirectives = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((element) => element !== undefined)
  if (!isPlainObject(value)) return value
  if ('$patch' in value) return undefined
  const kept: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    const stripped = member === null ? undefined : withoutDirectives(member)
    if (stripped !== undefined) setMember(kept, key, stripped)
  }
  return kept
}

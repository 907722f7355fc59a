/** Removes null members from a patch value that has no counterpart in the original. */
import { isPlainObject } from '#kit'

/** Returns the value without null members at any depth. Null list elements stay. */
export const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, withoutNulls(member)]),
  )
}

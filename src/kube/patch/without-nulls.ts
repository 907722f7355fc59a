/** Drops the members of a patch that ask for the removal of something that is not there. */
import { isPlainObject } from './plain-object.ts'

/** The value without null members, however deep; elements of lists stay even when they are null. */
export const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, withoutNulls(member)]),
  )
}

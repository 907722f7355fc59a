/** Suggests the existing name that is most similar to an unknown one. */
import { findNearestName } from '#kit'

/** Returns ` Did you mean "cart"?`, or an empty string if no name is similar. */
export const suggestName = (name: string, names: readonly string[]): string => {
  const nearest = findNearestName(name, names)
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`
}

/** Of several defaults the youngest counts, and of those made in the same second the first by name. */
import type { Stored } from '../meta/index.ts'

export const newestOf = <T>(sortedByName: readonly Stored<T>[]): Stored<T> | undefined => {
  let newest: Stored<T> | undefined
  for (const one of sortedByName)
    if (newest === undefined || one.metadata.creationTimestamp > newest.metadata.creationTimestamp)
      newest = one
  return newest
}

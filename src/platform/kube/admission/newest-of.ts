/** Returns the newest object; the first by name among those created in the same second. */
import type { Stored } from '#platform/kube/meta'

export const newestOf = <T>(sortedByName: readonly Stored<T>[]): Stored<T> | undefined => {
  let newest: Stored<T> | undefined
  for (const candidate of sortedByName)
    if (newest === undefined || candidate.metadata.creationTimestamp > newest.metadata.creationTimestamp)
      newest = candidate
  return newest
}

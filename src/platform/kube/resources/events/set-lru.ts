/** Sets an entry of a map that keeps only the most recently used entries. */

/** Enough for all pods of a node. The recorder of client-go keeps 4096. */
const MAX_ENTRIES = 600

/** Moves the entry to the end. Above the limit, evicts the least recently used entry. */
export const setLru = <T>(map: Map<string, T>, key: string, value: T, limit = MAX_ENTRIES): void => {
  map.delete(key)
  map.set(key, value)
  if (map.size <= limit) return
  const oldest = map.keys().next()
  if (!oldest.done) map.delete(oldest.value)
}

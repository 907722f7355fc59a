/** A memory of what was used last, so that a long life does not fill it. */

/** Enough for what goes on with all pods of a node; a recorder of a real cluster remembers 4096, over all nodes. */
const REMEMBERED = 600

/** Puts the entry last, and forgets the one that was not used for longest when there are too many. */
export const remember = <T>(map: Map<string, T>, key: string, value: T, limit = REMEMBERED): void => {
  map.delete(key)
  map.set(key, value)
  if (map.size <= limit) return
  const oldest = map.keys().next()
  if (!oldest.done) map.delete(oldest.value)
}

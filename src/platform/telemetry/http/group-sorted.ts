/** Groups items by a key, sorted by key. */

export const groupSorted = <T>(items: readonly T[], key: (item: T) => string): [string, T[]][] =>
  [...Map.groupBy(items, key)].sort(([a], [b]) => (a < b ? -1 : 1))

/**
 * Caches the results of a function by its argument; most processes need only a few of the possible values.
 */

export const memoise = <T>(compute: (name: string) => T): ((name: string) => T) => {
  const cache = new Map<string, T>()
  return (name) => {
    const cached = cache.get(name)
    if (cached !== undefined) return cached
    const value = compute(name)
    cache.set(name, value)
    return value
  }
}

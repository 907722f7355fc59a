/** Caches what is derived from objects that never change, for as long as the objects exist. */

export const cachePerObject = <K extends object, V>(derive: (object: K) => V): ((object: K) => V) => {
  const cache = new WeakMap<K, { readonly value: V }>()
  return (object) => {
    const cached = cache.get(object)
    if (cached !== undefined) return cached.value
    const value = derive(object)
    cache.set(object, { value })
    return value
  }
}

/** Caches a comparison of two objects that never change. */
export const cachePerPair = (
  compare: (a: object, b: object) => boolean,
): ((a: object, b: object) => boolean) => {
  const cacheOf = cachePerObject((_: object) => new WeakMap<object, boolean>())
  return (a, b) => {
    const cache = cacheOf(a)
    const cached = cache.get(b)
    if (cached !== undefined) return cached
    const result = compare(a, b)
    cache.set(b, result)
    return result
  }
}

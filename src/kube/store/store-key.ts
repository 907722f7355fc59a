/** The keys that objects of one kind are found and sorted by. */
import type { KubeObject } from '../meta/index.ts'

/** Sorts by namespace and then name, as etcd's keys do. */
export const storeKey = (namespace: string, name: string): string => `${namespace}/${name}`

export const keyOf = (object: KubeObject): string =>
  storeKey(object.metadata.namespace ?? '', object.metadata.name)

/** Where `key` is or belongs in a sorted list. */
export const position = (keys: readonly string[], key: string): number => {
  let [low, high] = [0, keys.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (keys[middle]! < key) low = middle + 1
    else high = middle
  }
  return low
}

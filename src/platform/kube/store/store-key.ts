/** The keys of the objects of one kind. */
import type { KubeObject } from '#platform/kube/meta'

/** Keys sort by namespace and then name, as in etcd. */
export const storeKey = (namespace: string, name: string): string => `${namespace}/${name}`

export const keyOf = (object: KubeObject): string =>
  storeKey(object.metadata.namespace ?? '', object.metadata.name)

/** The index of `key` in a sorted list, or where to insert it. */
export const position = (keys: readonly string[], key: string): number => {
  let [low, high] = [0, keys.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (keys[middle]! < key) low = middle + 1
    else high = middle
  }
  return low
}

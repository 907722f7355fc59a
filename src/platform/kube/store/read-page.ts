/** Reads one page of a kind at a past version, in time that grows only with the page and with later changes. */
import type { KubeObject } from '#platform/kube/meta'
import type { Change } from './change.ts'
import { keyOf, position, storeKey } from './store-key.ts'

export interface PageRequest {
  version: number
  namespace?: string | undefined
  /** The key before the first object of the page; the start by default. */
  after?: string
  limit: number
  /** Matches all objects by default. */
  matches?: ((object: KubeObject) => boolean) | undefined
}

export interface Page {
  items: KubeObject[]
  more: boolean
  /** The number of objects that follow; undefined with `matches`, since counting would have to test them all. */
  remaining?: number
}

/** The current objects of a kind, and the changes since the requested version. */
export interface KindState {
  /** Sorted. */
  keys: readonly string[]
  objects: ReadonlyMap<string, KubeObject>
  changes: readonly Change[]
}

/** The character after the slash: the exclusive end of the keys of a namespace. */
const AFTER_SLASH = '0'

/** The index range of the keys of a namespace that follow `after`. */
const rangeOf = (keys: readonly string[], namespace: string | undefined, after: string): [number, number] => {
  const first = namespace === undefined ? 0 : position(keys, storeKey(namespace, ''))
  const high = namespace === undefined ? keys.length : position(keys, `${namespace}${AFTER_SLASH}`)
  const next = after === '' ? 0 : position(keys, after)
  const low = Math.max(first, keys[next] === after ? next + 1 : next)
  return [Math.min(low, high), high]
}

/** The objects of changed keys at the requested version; undefined if the object did not exist. */
const pastObjects = (
  changes: readonly Change[],
  namespace: string | undefined,
  after: string,
): Map<string, KubeObject | undefined> => {
  const past = new Map<string, KubeObject | undefined>()
  const prefix = namespace === undefined ? '' : storeKey(namespace, '')
  for (const { object, old } of changes) {
    const key = keyOf(object)
    if (key > after && key.startsWith(prefix) && !past.has(key)) past.set(key, old)
  }
  return past
}

/** How many more objects existed at the requested version than exist now. */
const countDifference = (past: ReadonlyMap<string, unknown>, now: ReadonlyMap<string, unknown>): number => {
  let count = 0
  for (const [key, old] of past) count += Number(old !== undefined) - Number(now.has(key))
  return count
}

/** Merges a range of sorted keys with another sorted list. */
function* mergedKeys(
  keys: readonly string[],
  [low, high]: [number, number],
  others: readonly string[],
): Iterable<string> {
  let next = 0
  for (let index = low; index < high; index += 1) {
    while (next < others.length && others[next]! < keys[index]!) yield others[next++]!
    yield keys[index]!
  }
  yield* others.slice(next)
}

export const readPage = (
  { keys, objects, changes }: KindState,
  { namespace, after = '', limit, matches }: PageRequest,
): Page => {
  const range = rangeOf(keys, namespace, after)
  const past = pastObjects(changes, namespace, after)
  const deleted = [...past.keys()].filter((key) => !objects.has(key)).sort()
  const items: KubeObject[] = []
  for (const key of mergedKeys(keys, range, deleted)) {
    const object = past.has(key) ? past.get(key) : objects.get(key)
    if (object === undefined || matches?.(object) === false) continue
    if (items.length === limit) {
      if (matches !== undefined) return { items, more: true }
      return { items, more: true, remaining: range[1] - range[0] + countDifference(past, objects) - limit }
    }
    items.push(object)
  }
  return { items, more: false }
}

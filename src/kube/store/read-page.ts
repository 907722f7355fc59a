/** Reads one page of a kind as it was at some version; costs what the page holds, not what the kind does. */
import type { KubeObject } from '../meta/index.ts'
import type { Change } from './change.ts'
import { keyOf, position, storeKey } from './store-key.ts'

export interface PageRequest {
  version: number
  namespace?: string | undefined
  /** The key after which it begins; from the first where absent. */
  after?: string
  limit: number
  /** All where absent. */
  matches?: ((object: KubeObject) => boolean) | undefined
}

export interface Page {
  items: KubeObject[]
  more: boolean
  /** How many follow, where that can be told without looking at them. */
  remaining?: number
}

/** The objects of a kind now, and what has changed since the version that is asked for. */
export interface Stock {
  /** Sorted. */
  keys: readonly string[]
  objects: ReadonlyMap<string, KubeObject>
  changes: readonly Change[]
}

/** The character that follows the slash: a namespace's keys end before it. */
const AFTER_SLASH = '0'

/** The positions of the keys of a namespace that come after `after`. */
const rangeOf = (keys: readonly string[], namespace: string | undefined, after: string): [number, number] => {
  const first = namespace === undefined ? 0 : position(keys, storeKey(namespace, ''))
  const high = namespace === undefined ? keys.length : position(keys, `${namespace}${AFTER_SLASH}`)
  const next = after === '' ? 0 : position(keys, after)
  const low = Math.max(first, keys[next] === after ? next + 1 : next)
  return [Math.min(low, high), high]
}

/** What the changed keys of a page held at its version; undefined where there was nothing yet. */
const earlier = (
  changes: readonly Change[],
  namespace: string | undefined,
  after: string,
): Map<string, KubeObject | undefined> => {
  const then = new Map<string, KubeObject | undefined>()
  const prefix = namespace === undefined ? '' : storeKey(namespace, '')
  for (const { object, old } of changes) {
    const key = keyOf(object)
    if (key > after && key.startsWith(prefix) && !then.has(key)) then.set(key, old)
  }
  return then
}

/** By how many objects there were more then than there are now. */
const excess = (then: ReadonlyMap<string, unknown>, now: ReadonlyMap<string, unknown>): number => {
  let count = 0
  for (const [key, old] of then) count += Number(old !== undefined) - Number(now.has(key))
  return count
}

/** The keys between two positions and those of another sorted list, in one order. */
function* mergedKeys(
  keys: readonly string[],
  [low, high]: [number, number],
  others: readonly string[],
): Iterable<string> {
  let other = 0
  for (let index = low; index < high; index += 1) {
    while (other < others.length && others[other]! < keys[index]!) yield others[other++]!
    yield keys[index]!
  }
  yield* others.slice(other)
}

export const readPage = (
  { keys, objects, changes }: Stock,
  { namespace, after = '', limit, matches }: PageRequest,
): Page => {
  const range = rangeOf(keys, namespace, after)
  const then = earlier(changes, namespace, after)
  const gone = [...then.keys()].filter((key) => !objects.has(key)).sort()
  const items: KubeObject[] = []
  for (const key of mergedKeys(keys, range, gone)) {
    const object = then.has(key) ? then.get(key) : objects.get(key)
    if (object === undefined || matches?.(object) === false) continue
    if (items.length === limit) {
      if (matches !== undefined) return { items, more: true }
      return { items, more: true, remaining: range[1] - range[0] + excess(then, objects) - limit }
    }
    items.push(object)
  }
  return { items, more: false }
}

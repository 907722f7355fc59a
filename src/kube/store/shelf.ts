/** The objects of one kind, in order, with the indexes and the recent history that readers need. */
import { controllerOf, type KubeObject } from '../meta/index.ts'

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** One committed write. */
export interface Change {
  type: ChangeType
  version: number
  object: KubeObject
  old: KubeObject | undefined
}

/** Sorts by namespace and then name, as etcd's keys do. */
export const storeKey = (namespace: string, name: string): string => `${namespace}/${name}`

const keyOf = (object: KubeObject): string => storeKey(object.metadata.namespace ?? '', object.metadata.name)

const ownerUid = (object: KubeObject): string => controllerOf(object)?.uid ?? ''

/** Where `key` is or belongs in a sorted list. */
const position = (keys: readonly string[], key: string): number => {
  let [low, high] = [0, keys.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (keys[middle]! < key) low = middle + 1
    else high = middle
  }
  return low
}

/** The character that follows the slash, so that a namespace's keys end before it. */
const AFTER_SLASH = '0'

const isWithin = (namespace: string | undefined, key: string): boolean =>
  namespace === undefined || key.startsWith(storeKey(namespace, ''))

/** What the keys that have changed held before; undefined where there was nothing yet. */
const earlier = (
  changes: readonly Change[],
  concerns: (key: string) => boolean,
): Map<string, KubeObject | undefined> => {
  const then = new Map<string, KubeObject | undefined>()
  for (const { object, old } of changes) {
    const key = keyOf(object)
    if (!then.has(key) && concerns(key)) then.set(key, old)
  }
  return then
}

/** By how many objects there were more then than there are now. */
const growth = (then: ReadonlyMap<string, unknown>, now: ReadonlyMap<string, unknown>): number => {
  let count = 0
  for (const [key, old] of then) count += Number(old !== undefined) - Number(now.has(key))
  return count
}

/** The keys between two positions and those of another sorted list, in one order. */
function* merged(
  keys: readonly string[],
  low: number,
  high: number,
  others: readonly string[],
): Iterable<string> {
  let other = 0
  for (let index = low; index < high; index += 1) {
    while (other < others.length && others[other]! < keys[index]!) yield others[other++]!
    yield keys[index]!
  }
  yield* others.slice(other)
}

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

export class Shelf {
  readonly #objects = new Map<string, KubeObject>()
  readonly #keys: string[] = []
  readonly #owned = new Map<string, Set<string>>()
  readonly #history: Change[] = []
  readonly #limit: number
  /** Changes up to this version are no longer in the history. */
  #forgotten: number

  constructor(historyLimit: number, version: number) {
    this.#limit = historyLimit
    this.#forgotten = version
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#objects.get(storeKey(namespace, name))
  }

  get forgotten(): number {
    return this.#forgotten
  }

  get size(): number {
    return this.#objects.size
  }

  list(namespace?: string): KubeObject[] {
    if (namespace === undefined) return this.#keys.map((key) => this.#objects.get(key)!)
    const result: KubeObject[] = []
    const prefix = `${namespace}/`
    for (let index = position(this.#keys, prefix); index < this.#keys.length; index += 1) {
      const key = this.#keys[index]!
      if (!key.startsWith(prefix)) break
      result.push(this.#objects.get(key)!)
    }
    return result
  }

  /** Those controlled by the owner with this uid; with an empty one, those that nobody controls. */
  ownedBy(uid: string): KubeObject[] {
    const keys = this.#owned.get(uid)
    return keys === undefined ? [] : [...keys].sort().map((key) => this.#objects.get(key)!)
  }

  apply(change: Change): void {
    const key = keyOf(change.object)
    if (change.old !== undefined) this.#disown(key, change.old)
    if (change.type === 'DELETED') {
      this.#objects.delete(key)
      this.#keys.splice(position(this.#keys, key), 1)
    } else {
      if (change.type === 'ADDED') this.#keys.splice(position(this.#keys, key), 0, key)
      this.#objects.set(key, change.object)
      this.#own(key, change.object)
    }
    this.#history.push(change)
    // Trimmed in bulk: shifting a long array on every write would cost more than the write.
    if (this.#history.length > this.#limit * 1.5) {
      const dropped = this.#history.splice(0, this.#history.length - this.#limit)
      this.#forgotten = dropped.at(-1)!.version
    }
  }

  /** The changes after `version`, or undefined when some of them are forgotten. */
  since(version: number): Change[] | undefined {
    if (version < this.#forgotten) return undefined
    if (version >= (this.#history.at(-1)?.version ?? 0)) return []
    let start = this.#history.length
    while (start > 0 && this.#history[start - 1]!.version > version) start -= 1
    return this.#history.slice(start)
  }

  /** A page as it was at `version`, or undefined when that is forgotten. Costs what it gives, not what there is. */
  page({ version, namespace, after = '', limit, matches }: PageRequest): Page | undefined {
    const changes = this.since(version)
    if (changes === undefined) return undefined
    const [low, high] = this.#range(namespace, after)
    const then = earlier(changes, (key) => key > after && isWithin(namespace, key))
    const gone = [...then.keys()]
      .filter((key) => then.get(key) !== undefined && !this.#objects.has(key))
      .sort()
    const items: KubeObject[] = []
    const total = matches === undefined ? high - low + growth(then, this.#objects) : undefined
    for (const key of merged(this.#keys, low, high, gone)) {
      const object = then.has(key) ? then.get(key) : this.#objects.get(key)
      if (object === undefined || matches?.(object) === false) continue
      if (items.length === limit)
        return { items, more: true, ...(total === undefined ? {} : { remaining: total - limit }) }
      items.push(object)
    }
    return { items, more: false }
  }

  /** The positions of the keys of a namespace that come after `after`. */
  #range(namespace: string | undefined, after: string): [low: number, high: number] {
    const keys = this.#keys
    const first = namespace === undefined ? 0 : position(keys, storeKey(namespace, ''))
    const high = namespace === undefined ? keys.length : position(keys, `${namespace}${AFTER_SLASH}`)
    const next = after === '' ? 0 : position(keys, after)
    const low = Math.max(first, keys[next] === after ? next + 1 : next)
    return [Math.min(low, high), high]
  }

  #own(key: string, object: KubeObject): void {
    const owner = ownerUid(object)
    const keys = this.#owned.get(owner)
    if (keys === undefined) this.#owned.set(owner, new Set([key]))
    else keys.add(key)
  }

  #disown(key: string, object: KubeObject): void {
    const owner = ownerUid(object)
    const keys = this.#owned.get(owner)
    keys?.delete(key)
    if (keys?.size === 0) this.#owned.delete(owner)
  }
}

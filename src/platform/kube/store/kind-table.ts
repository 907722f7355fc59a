/** The objects of one kind, sorted by key, with an owner index and the recent history. */
import { estimateSize, type RecentLimits, RecentList } from '#kit'
import { controllerOf, type KubeObject } from '#platform/kube/meta'
import type { Change } from './change.ts'
import { type Page, type PageRequest, readPage } from './read-page.ts'
import { keyOf, position, storeKey } from './store-key.ts'

const ownerUid = (object: KubeObject): string => controllerOf(object)?.uid ?? ''

export class KindTable {
  readonly #objects = new Map<string, KubeObject>()
  readonly #keys: string[] = []
  /** Approximate sizes in bytes, by key. */
  readonly #sizes = new Map<string, number>()
  readonly #owned = new Map<string, Set<string>>()
  readonly #history: RecentList<Change>
  #bytes = 0
  /** Changes up to this version are no longer in the history. */
  #compacted: number

  constructor(limits: RecentLimits, version: number) {
    this.#history = new RecentList(limits)
    this.#compacted = version
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#objects.get(storeKey(namespace, name))
  }

  get compacted(): number {
    return this.#compacted
  }

  get size(): number {
    return this.#objects.size
  }

  /** The approximate memory of the objects. */
  get bytes(): number {
    return this.#bytes
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

  /** The objects controlled by the owner with this uid; with an empty uid, those without a controller. */
  ownedBy(uid: string): KubeObject[] {
    const keys = this.#owned.get(uid)
    return keys === undefined ? [] : [...keys].sort().map((key) => this.#objects.get(key)!)
  }

  apply(change: Change): void {
    const key = keyOf(change.object)
    const size = estimateSize(change.object)
    this.#bytes -= this.#sizes.get(key) ?? 0
    if (change.old !== undefined) this.#disown(key, change.old)
    if (change.type === 'DELETED') {
      this.#objects.delete(key)
      this.#sizes.delete(key)
      this.#keys.splice(position(this.#keys, key), 1)
    } else {
      if (change.type === 'ADDED') this.#keys.splice(position(this.#keys, key), 0, key)
      this.#objects.set(key, change.object)
      this.#sizes.set(key, size)
      this.#bytes += size
      this.#own(key, change.object)
    }
    // Only the new object counts: the old one is already in the history.
    const dropped = this.#history.add(change, size)
    if (dropped !== undefined) this.#compacted = dropped.version
  }

  /** Drops the history up to `version`, the latest one. */
  compact(version: number): void {
    this.#history.clear()
    this.#compacted = version
  }

  /** The changes after `version`; undefined if some of them are compacted. */
  since(version: number): Change[] | undefined {
    if (version < this.#compacted) return undefined
    const { values } = this.#history
    if (version >= (values.at(-1)?.version ?? 0)) return []
    let start = values.length
    while (start > 0 && values[start - 1]!.version > version) start -= 1
    return values.slice(start)
  }

  /** A page at a version; undefined if the version is compacted. */
  page(request: PageRequest): Page | undefined {
    const changes = this.since(request.version)
    return changes && readPage({ keys: this.#keys, objects: this.#objects, changes }, request)
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

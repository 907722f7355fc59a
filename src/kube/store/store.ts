/** All objects of a cluster in memory, under one counter of versions, with watchers told of every write. */
import type { RecentLimits } from '../../kit/index.ts'
import type { KubeObject } from '../meta/index.ts'
import type { Change, ChangeType } from './change.ts'
import type { Page, PageRequest } from './read-page.ts'
import { Shelf } from './shelf.ts'

export type ChangeListener = (change: Change) => void

export interface StoreOptions {
  /** How many changes of each kind are remembered for watches and paged lists. */
  historyLimit?: number
  /** How much memory they may take for each kind, roughly: of large objects fewer changes are remembered. */
  historyBytes?: number
  /** How much memory all objects together may take, roughly, before nothing more is to be stored. */
  quotaBytes?: number
  /** Applied to every object as it is stored; tests freeze them here. */
  seal?: (object: KubeObject) => void
  /** Told what a listener threw: the write stands, and the others hear of it. */
  onError?: (error: unknown) => void
}

export interface Store {
  /** The version of the latest write. */
  readonly version: number
  /** Whether the objects take all the memory that they may: what is stored grows only for the sake of deletions. */
  readonly isFull: boolean
  get(kind: string, namespace: string, name: string): KubeObject | undefined
  list(kind: string, namespace?: string): KubeObject[]
  ownedBy(kind: string, uid: string): KubeObject[]
  count(kind: string): number
  /** Stores `object` under a new version, which it returns in place; `old` is what it replaces. */
  put(kind: string, object: KubeObject, old: KubeObject | undefined): KubeObject
  remove(kind: string, object: KubeObject): KubeObject
  /** The changes of that kind after `version`, or undefined when some of them are forgotten. */
  since(kind: string, version: number): Change[] | undefined
  /** The version up to which the changes of that kind are forgotten. */
  oldest(kind: string): number
  /** Some of the objects as they were at a version, or undefined when that is forgotten. */
  page(kind: string, request: PageRequest): Page | undefined
  /** Drops what is kept of other kinds than these, as far as they have no objects: their changes are forgotten. */
  retain(kinds: ReadonlySet<string>): void
  /** Calls back inside each write of that kind; `*` stands for all kinds. */
  watch(kind: string, listener: ChangeListener): () => void
}

/** With nobody to tell, a defect shows as an uncaught error: it must not fail a write that has been made. */
const surface = (error: unknown): void =>
  queueMicrotask(() => {
    throw error
  })

/** Some hundred times what a large system takes; others hold copies, so that it must be far from all there is. */
const QUOTA_BYTES = 128 * 1024 * 1024

const HISTORY: RecentLimits = { count: 1000, bytes: 2_000_000 }

export const createStore = (options: StoreOptions = {}): Store => {
  const { historyLimit = HISTORY.count, historyBytes = HISTORY.bytes, seal, onError = surface } = options
  const { quotaBytes = QUOTA_BYTES } = options
  const limits: RecentLimits = { count: historyLimit, bytes: historyBytes }
  const shelves = new Map<string, Shelf>()
  const listeners = new Map<string, Set<ChangeListener>>()
  let version = 0
  /** Stands for every kind of which there never was an object, or nothing is kept any more. */
  let empty = new Shelf(limits, 0)

  const shelf = (kind: string): Shelf => shelves.get(kind) ?? empty

  const ownShelf = (kind: string): Shelf => {
    let found = shelves.get(kind)
    if (found === undefined) {
      found = new Shelf(limits, empty.forgotten)
      shelves.set(kind, found)
    }
    return found
  }

  /** Listeners come and go while they are told: whoever has left by his turn hears nothing more. */
  const tell = (kind: string, change: Change): void => {
    const known = listeners.get(kind)
    if (known === undefined) return
    for (const listener of [...known]) {
      if (!known.has(listener)) continue
      try {
        listener(change)
      } catch (error) {
        onError(error)
      }
    }
  }

  const commit = (
    kind: string,
    type: ChangeType,
    draft: KubeObject,
    old: KubeObject | undefined,
  ): KubeObject => {
    version += 1
    const object = { ...draft, metadata: { ...draft.metadata, resourceVersion: String(version) } }
    seal?.(object)
    const change: Change = { type, version, object, old }
    ownShelf(kind).apply(change)
    tell(kind, change)
    tell('*', change)
    return object
  }

  return {
    get version() {
      return version
    },
    get isFull() {
      let bytes = 0
      for (const shelved of shelves.values()) bytes += shelved.bytes
      return bytes >= quotaBytes
    },
    get: (kind, namespace, name) => shelf(kind).get(namespace, name),
    list: (kind, namespace) => shelf(kind).list(namespace),
    ownedBy: (kind, uid) => shelf(kind).ownedBy(uid),
    count: (kind) => shelf(kind).size,
    put: (kind, object, old) => commit(kind, old === undefined ? 'ADDED' : 'MODIFIED', object, old),
    remove: (kind, object) => commit(kind, 'DELETED', object, object),
    since: (kind, after) => shelf(kind).since(after),
    oldest: (kind) => shelf(kind).forgotten,
    page: (kind, request) => shelf(kind).page(request),
    retain(kinds) {
      // Only those that are not kept may have forgotten something.
      for (const kind of kinds) ownShelf(kind)
      for (const [kind, { size }] of shelves) if (size === 0 && !kinds.has(kind)) shelves.delete(kind)
      empty = new Shelf(limits, version)
    },
    watch(kind, listener) {
      const known = listeners.get(kind) ?? new Set()
      listeners.set(kind, known)
      known.add(listener)
      return () => {
        known.delete(listener)
        if (known.size === 0 && listeners.get(kind) === known) listeners.delete(kind)
      }
    },
  }
}

/** Stores all objects of a cluster in memory, with one version for all kinds and listeners for every write. */
import type { Clock, RecentLimits } from '#kit'
import type { KubeObject } from '#platform/kube/meta'
import type { Change, ChangeType } from './change.ts'
import { KindTable } from './kind-table.ts'
import { type ChangeListener, createListeners } from './listeners.ts'
import type { Page, PageRequest } from './read-page.ts'
import { createVersions } from './versions.ts'

export interface StoreOptions {
  /** The time that versions follow; without it they count the writes. */
  clock?: Pick<Clock, 'now'>
  /** The number of changes to keep per kind, for watches and paged lists. */
  historyLimit?: number
  /** The approximate memory limit of these changes per kind: of large objects, fewer changes are kept. */
  historyBytes?: number
  /** The approximate memory limit of all objects; see `isFull`. */
  quotaBytes?: number
  /** Called with every object before it is stored; tests freeze objects here. */
  seal?: (object: KubeObject) => void
  /** Receives errors of listeners; the write is kept and the other listeners are called. */
  onError?: (error: unknown) => void
}

export interface Store {
  /** The present version: at least that of the latest write, and lower than that of the next one. */
  readonly version: number
  /** Whether the quota is exceeded. The store does not enforce it; callers reject writes of clients. */
  readonly isFull: boolean
  get(kind: string, namespace: string, name: string): KubeObject | undefined
  list(kind: string, namespace?: string): KubeObject[]
  ownedBy(kind: string, uid: string): KubeObject[]
  count(kind: string): number
  /** Stores a copy of `object` with a new version and returns it; `old` is the replaced object. */
  put(kind: string, object: KubeObject, old: KubeObject | undefined): KubeObject
  remove(kind: string, object: KubeObject): KubeObject
  /** The changes of a kind after `version`; undefined if some of them are compacted. */
  since(kind: string, version: number): Change[] | undefined
  /** The version up to which the changes of a kind are compacted. */
  oldest(kind: string): number
  /** A page of objects at a version; undefined if the version is compacted. */
  page(kind: string, request: PageRequest): Page | undefined
  /** Drops the history of kinds that have no objects and are not in `kinds`. */
  retain(kinds: ReadonlySet<string>): void
  /** Drops the history of all kinds, so that clients cannot read earlier versions. Watches continue. */
  compact(): void
  /** Calls the listener synchronously on each write of a kind, or of all kinds (`*`); returns a function that removes it. */
  watch(kind: string, listener: ChangeListener): () => void
}

/** The default of `onError`: throws the error later, as uncaught, so that it does not fail the write. */
const throwLater = (error: unknown): void =>
  queueMicrotask(() => {
    throw error
  })

/** Several hundred times the size of a large system, but far below the memory limit of the process. */
const DEFAULT_QUOTA_BYTES = 128 * 1024 * 1024

const DEFAULT_HISTORY: RecentLimits = { count: 1000, bytes: 2_000_000 }

export const createStore = (options: StoreOptions = {}): Store => {
  const { historyLimit = DEFAULT_HISTORY.count, historyBytes = DEFAULT_HISTORY.bytes, seal } = options
  const { quotaBytes = DEFAULT_QUOTA_BYTES, onError = throwLater } = options
  const limits: RecentLimits = { count: historyLimit, bytes: historyBytes }
  const tables = new Map<string, KindTable>()
  const listeners = createListeners(onError)
  const versions = createVersions(options.clock)
  /** Represents every kind without a table. */
  let empty = new KindTable(limits, 0)

  const tableOf = (kind: string): KindTable => tables.get(kind) ?? empty

  const ensureTable = (kind: string): KindTable => {
    let found = tables.get(kind)
    if (found === undefined) {
      found = new KindTable(limits, empty.compacted)
      tables.set(kind, found)
    }
    return found
  }

  const commit = (
    kind: string,
    type: ChangeType,
    draft: KubeObject,
    old: KubeObject | undefined,
  ): KubeObject => {
    const version = versions.next()
    const object = { ...draft, metadata: { ...draft.metadata, resourceVersion: String(version) } }
    seal?.(object)
    const change: Change = { type, version, object, old }
    ensureTable(kind).apply(change)
    listeners.notify(kind, change)
    listeners.notify('*', change)
    return object
  }

  return {
    get version() {
      return versions.current()
    },
    get isFull() {
      let bytes = 0
      for (const table of tables.values()) bytes += table.bytes
      return bytes >= quotaBytes
    },
    get: (kind, namespace, name) => tableOf(kind).get(namespace, name),
    list: (kind, namespace) => tableOf(kind).list(namespace),
    ownedBy: (kind, uid) => tableOf(kind).ownedBy(uid),
    count: (kind) => tableOf(kind).size,
    put: (kind, object, old) => commit(kind, old === undefined ? 'ADDED' : 'MODIFIED', object, old),
    remove: (kind, object) => commit(kind, 'DELETED', object, object),
    since: (kind, after) => tableOf(kind).since(after),
    oldest: (kind) => tableOf(kind).compacted,
    page: (kind, request) => tableOf(kind).page(request),
    retain(kinds) {
      // Retained kinds have a separate table, because `empty` is compacted to the current version below.
      for (const kind of kinds) ensureTable(kind)
      for (const [kind, { size }] of tables) if (size === 0 && !kinds.has(kind)) tables.delete(kind)
      empty = new KindTable(limits, versions.current())
    },
    compact() {
      const version = versions.current()
      for (const table of tables.values()) table.compact(version)
      empty = new KindTable(limits, version)
    },
    watch: listeners.add,
  }
}

/** All collections of a server, in memory and in a log. A change resolves when it is on the disk. */
import { join } from 'node:path'
import type { StoreHost } from '../store-host.ts'
import { createMemoryLog, openWriteAheadLog, type WriteAheadLog } from '../write-ahead-log.ts'
import { type Document, parseBson, toBson } from './bson.ts'
import { Collection, type IndexSpec } from './collection.ts'

/** A record of the log: the namespace `in`, and exactly one of the other members. */
interface Change {
  readonly in: string
  readonly put?: Document
  readonly remove?: { readonly id: unknown }
  readonly index?: IndexSpec
  readonly unindex?: string
  readonly create?: true
  readonly drop?: true
}

export class DocumentStore {
  readonly #collections = new Map<string, Collection>()
  readonly #files: StoreHost['files']
  #log: WriteAheadLog = createMemoryLog()

  constructor({ files }: Pick<StoreHost, 'files'>) {
    this.#files = files
  }

  /** Replays the log of the folder; without a folder the store keeps documents in memory only. */
  async open(folder: string | undefined): Promise<void> {
    if (folder === undefined) return
    this.#files.makeFolder(folder)
    this.#log = await openWriteAheadLog({
      files: this.#files,
      file: join(folder, 'journal.wt'),
      replay: (record) => this.#apply(parseBson(record) as Change),
      snapshot: () => this.#snapshot(),
    })
  }

  /** Whether the file contains exactly what a restart must restore. */
  isIntact(): Promise<boolean> {
    return this.#log.isIntact()
  }

  close(): Promise<void> {
    return this.#log.close()
  }

  get isEmpty(): boolean {
    return this.#collections.size === 0
  }

  collection(namespace: string): Collection | undefined {
    return this.#collections.get(namespace)
  }

  namespaces(): string[] {
    return [...this.#collections.keys()].sort()
  }

  /** Resolves when the document is on the disk. Throws synchronously, without a change, if it is invalid. */
  insert(namespace: string, document: Document): Promise<void> {
    this.#collectionOf(namespace).insert(document)
    const undo = () => this.#collections.get(namespace)?.remove(document._id)
    return this.#write({ in: namespace, put: document }, undo)
  }

  replace(namespace: string, document: Document): Promise<void> {
    const collection = this.#collectionOf(namespace)
    const previous = collection.put(document)
    return this.#write({ in: namespace, put: document }, () =>
      previous ? collection.put(previous) : collection.remove(document._id),
    )
  }

  remove(namespace: string, id: unknown): Promise<void> {
    const collection = this.#collectionOf(namespace)
    const previous = collection.remove(id)
    if (!previous) return Promise.resolve()
    return this.#write({ in: namespace, remove: { id } }, () => collection.put(previous))
  }

  create(namespace: string): Promise<void> {
    this.#collectionOf(namespace)
    return this.#write({ in: namespace, create: true }, () => this.#collections.delete(namespace))
  }

  addIndex(namespace: string, index: IndexSpec): Promise<void> {
    const collection = this.#collectionOf(namespace)
    if (!collection.addIndex(index)) return Promise.resolve()
    return this.#write({ in: namespace, index }, () => collection.removeIndex(index.name))
  }

  removeIndex(namespace: string, name: string): Promise<void> {
    const collection = this.#collectionOf(namespace)
    const previous = collection.removeIndex(name)
    if (!previous) return Promise.resolve()
    return this.#write({ in: namespace, unindex: name }, () => collection.addIndex(previous))
  }

  drop(namespace: string): Promise<void> {
    const previous = this.#collections.get(namespace)
    if (!previous) return Promise.resolve()
    this.#collections.delete(namespace)
    return this.#write({ in: namespace, drop: true }, () => this.#collections.set(namespace, previous))
  }

  #collectionOf(namespace: string): Collection {
    const existing = this.#collections.get(namespace)
    if (existing) return existing
    const collection = new Collection(namespace)
    this.#collections.set(namespace, collection)
    return collection
  }

  #write(change: Change, undo: () => unknown): Promise<void> {
    return this.#log.append(toBson(change), () => void undo())
  }

  #apply({ in: namespace, put, remove, index, unindex, drop }: Change): void {
    if (drop) {
      this.#collections.delete(namespace)
      return
    }
    const collection = this.#collectionOf(namespace)
    if (put) collection.put(put)
    if (remove) collection.remove(remove.id)
    if (index) collection.addIndex(index)
    if (unindex) collection.removeIndex(unindex)
  }

  *#snapshot(): Iterable<Buffer> {
    for (const [namespace, collection] of this.#collections) {
      yield toBson({ in: namespace, create: true })
      for (const index of collection.indexes) yield toBson({ in: namespace, index })
      for (const put of collection.documents()) yield toBson({ in: namespace, put })
    }
  }
}

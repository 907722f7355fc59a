/** The documents of one collection in memory, and their indexes. */
import type { Document } from './bson.ts'
import { toKey } from './compare-values.ts'
import { isDocument, valuesAt } from './document-path.ts'
import { MongoFailure } from './mongo-failure.ts'

export interface IndexSpec {
  readonly name: string
  /** Directions by path. */
  readonly key: Readonly<Record<string, number>>
  readonly unique: boolean
}

interface Index {
  readonly spec: IndexSpec
  readonly paths: readonly string[]
  /** Document keys, by the key of the indexed values. */
  readonly entries: Map<string, Set<string>>
}

/**
 * Returns the index keys of a document. A list has one key for the whole and one for each element. An index
 * with several paths has a single key for all of them.
 */
const keysOf = (document: Document, paths: readonly string[]): string[] => {
  if (paths.length === 1) {
    const values = valuesAt(document, paths[0]!.split('.'))
    if (values.length === 0) return [toKey(null)]
    return [
      ...new Set(values.flatMap((value) => (Array.isArray(value) ? [value, ...value] : [value])).map(toKey)),
    ]
  }
  return [
    JSON.stringify(paths.map((path) => valuesAt(document, path.split('.')).map(toKey).join() || 'null')),
  ]
}

/** The values that a filter compares a path with for equality; undefined for other conditions. */
const equalityValues = (condition: unknown): readonly unknown[] | undefined => {
  if (!isDocument(condition)) return condition === undefined ? undefined : [condition]
  const operators = Object.keys(condition).filter((name) => name.startsWith('$'))
  if (operators.length === 0) return [condition]
  if (operators.includes('$eq')) return [condition.$eq]
  return Array.isArray(condition.$in) ? condition.$in : undefined
}

export class Collection {
  readonly namespace: string
  readonly #documents = new Map<string, Document>()
  readonly #indexes = new Map<string, Index>()

  constructor(namespace: string) {
    this.namespace = namespace
  }

  get size(): number {
    return this.#documents.size
  }

  get indexes(): readonly IndexSpec[] {
    return [...this.#indexes.values()].map(({ spec }) => spec)
  }

  documents(): Iterable<Document> {
    return this.#documents.values()
  }

  get(id: unknown): Document | undefined {
    return this.#documents.get(toKey(id))
  }

  /** Returns a superset of the documents that match the filter, from an index if possible. */
  candidates(filter: Document): Iterable<Document> {
    const ids = equalityValues(filter._id)
    if (ids) return this.#findByKeys(ids.map(toKey))
    for (const { paths, entries } of this.#indexes.values()) {
      if (paths.length > 1) continue
      const values = equalityValues(filter[paths[0]!])
      if (!values) continue
      return this.#findByKeys(values.flatMap((value) => [...(entries.get(toKey(value)) ?? [])]))
    }
    return this.documents()
  }

  #findByKeys(keys: readonly string[]): Document[] {
    return [...new Set(keys)].flatMap((key) => this.#documents.get(key) ?? [])
  }

  /** Inserts the document or replaces the one with the same id, which is returned. */
  put(document: Document): Document | undefined {
    const key = toKey(document._id)
    const previous = this.#documents.get(key)
    this.#checkUnique(document, key)
    if (previous) this.#unlink(previous, key)
    this.#documents.set(key, document)
    for (const { paths, entries } of this.#indexes.values())
      for (const entry of keysOf(document, paths)) {
        const keys = entries.get(entry)
        if (keys) keys.add(key)
        else entries.set(entry, new Set([key]))
      }
    return previous
  }

  insert(document: Document): void {
    if (this.#documents.has(toKey(document._id))) throw this.#duplicateFailure('_id_', { _id: document._id })
    this.put(document)
  }

  remove(id: unknown): Document | undefined {
    const key = toKey(id)
    const previous = this.#documents.get(key)
    if (!previous) return
    this.#unlink(previous, key)
    this.#documents.delete(key)
    return previous
  }

  /** Returns false if the index already exists. Throws if it is unique and the documents have duplicates. */
  addIndex(spec: IndexSpec): boolean {
    if (this.#indexes.has(spec.name)) return false
    const paths = Object.keys(spec.key)
    const entries = new Map<string, Set<string>>()
    for (const [key, document] of this.#documents)
      for (const entry of keysOf(document, paths)) {
        const keys = entries.get(entry)
        if (keys && spec.unique) throw this.#duplicateFailure(spec.name, this.#valuesAt(document, paths))
        if (keys) keys.add(key)
        else entries.set(entry, new Set([key]))
      }
    this.#indexes.set(spec.name, { spec, paths, entries })
    return true
  }

  removeIndex(name: string): IndexSpec | undefined {
    const index = this.#indexes.get(name)
    this.#indexes.delete(name)
    return index?.spec
  }

  #valuesAt(document: Document, paths: readonly string[]): Document {
    return Object.fromEntries(paths.map((path) => [path, valuesAt(document, path.split('.'))[0] ?? null]))
  }

  #checkUnique(document: Document, key: string): void {
    for (const { spec, paths, entries } of this.#indexes.values()) {
      if (!spec.unique) continue
      for (const entry of keysOf(document, paths))
        for (const documentKey of entries.get(entry) ?? [])
          if (documentKey !== key) throw this.#duplicateFailure(spec.name, this.#valuesAt(document, paths))
    }
  }

  #unlink(document: Document, key: string): void {
    for (const { paths, entries } of this.#indexes.values())
      for (const entry of keysOf(document, paths)) {
        const keys = entries.get(entry)
        keys?.delete(key)
        if (keys?.size === 0) entries.delete(entry)
      }
  }

  #duplicateFailure(index: string, keyValue: Document): MongoFailure {
    const keyText = Object.entries(keyValue).map(([path, value]) => `${path}: ${JSON.stringify(value)}`)
    return new MongoFailure(
      'DuplicateKey',
      `E11000 duplicate key error collection: ${this.namespace} index: ${index} dup key: { ${keyText.join(', ')} }`,
      { keyPattern: Object.fromEntries(Object.keys(keyValue).map((path) => [path, 1])), keyValue },
    )
  }
}

/** Open cursors: the rest of results that did not fit into one reply. */
import type { Document } from '../bson.ts'
import { MongoFailure } from '../mongo-failure.ts'

const FIRST_BATCH_DOCUMENTS = 101
const MAX_OPEN_CURSORS = 1000

export class CursorStore {
  readonly #open = new Map<number, { namespace: string; rest: readonly Document[] }>()
  #last = 0

  /** Returns the first batch of a result as `cursor`. */
  begin(namespace: string, documents: readonly Document[], batchSize: unknown, single = false): Document {
    const size = typeof batchSize === 'number' ? batchSize : FIRST_BATCH_DOCUMENTS
    const firstBatch = documents.slice(0, size)
    const rest = single ? [] : documents.slice(size)
    return { cursor: { firstBatch, id: this.#keep(namespace, rest), ns: namespace } }
  }

  next(id: number, batchSize: unknown): Document {
    const cursor = this.#open.get(id)
    if (!cursor) throw new MongoFailure('CursorNotFound', `cursor id ${id} not found`)
    this.#open.delete(id)
    const size = typeof batchSize === 'number' && batchSize > 0 ? batchSize : cursor.rest.length
    const rest = cursor.rest.slice(size)
    if (rest.length > 0) this.#open.set(id, { ...cursor, rest })
    const nextBatch = cursor.rest.slice(0, size)
    return { cursor: { nextBatch, id: BigInt(rest.length > 0 ? id : 0), ns: cursor.namespace } }
  }

  /** Returns whether the cursor existed. */
  kill(id: number): boolean {
    return this.#open.delete(id)
  }

  /** Cursor ids are 64-bit integers; drivers check the type. */
  #keep(namespace: string, rest: readonly Document[]): bigint {
    if (rest.length === 0) return 0n
    this.#last++
    this.#open.set(this.#last, { namespace, rest })
    const [oldest] = this.#open.keys()
    if (this.#open.size > MAX_OPEN_CURSORS) this.#open.delete(oldest!)
    return BigInt(this.#last)
  }
}

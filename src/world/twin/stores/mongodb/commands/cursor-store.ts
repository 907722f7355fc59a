/** Open cursors. Each holds the documents of a result that did not fit into the replies so far. */
import type { Document } from '../bson.ts'
import { MongoFailure } from '../mongo-failure.ts'

const FIRST_BATCH_DOCUMENTS = 101
const MAX_OPEN_CURSORS = 1000

export class CursorStore {
  readonly #cursors = new Map<number, { namespace: string; rest: readonly Document[] }>()
  #lastId = 0

  /** Returns the first batch as `cursor`, and opens a cursor for the rest. */
  begin(
    namespace: string,
    documents: readonly Document[],
    batchSize: unknown,
    isSingleBatch = false,
  ): Document {
    const size = typeof batchSize === 'number' ? batchSize : FIRST_BATCH_DOCUMENTS
    const firstBatch = documents.slice(0, size)
    const rest = isSingleBatch ? [] : documents.slice(size)
    return { cursor: { firstBatch, id: this.#open(namespace, rest), ns: namespace } }
  }

  next(id: number, batchSize: unknown): Document {
    const cursor = this.#cursors.get(id)
    if (!cursor) throw new MongoFailure('CursorNotFound', `cursor id ${id} not found`)
    this.#cursors.delete(id)
    const size = typeof batchSize === 'number' && batchSize > 0 ? batchSize : cursor.rest.length
    const rest = cursor.rest.slice(size)
    if (rest.length > 0) this.#cursors.set(id, { ...cursor, rest })
    const nextBatch = cursor.rest.slice(0, size)
    return { cursor: { nextBatch, id: BigInt(rest.length > 0 ? id : 0), ns: cursor.namespace } }
  }

  /** Returns whether the cursor existed. */
  kill(id: number): boolean {
    return this.#cursors.delete(id)
  }

  /** Returns a bigint, because drivers check that cursor ids are 64-bit integers. */
  #open(namespace: string, rest: readonly Document[]): bigint {
    if (rest.length === 0) return 0n
    this.#lastId++
    this.#cursors.set(this.#lastId, { namespace, rest })
    const [oldest] = this.#cursors.keys()
    if (this.#cursors.size > MAX_OPEN_CURSORS) this.#cursors.delete(oldest!)
    return BigInt(this.#lastId)
  }
}

/** Copies a document as if it were sent as BSON, without the bytes, and counts them. */
import type { MongoDocument } from '#world/twin/stores'
import { STORE_CORES } from './store-cores.ts'

const { Binary, ObjectId, RawValue } = STORE_CORES.mongodb

/** The number of bytes of the copy in progress. */
let counted = 0

/** The type and the end of the name of a member. */
const MEMBER_BYTES = 2
const DOCUMENT_BYTES = 5
const TEXT_BYTES = 5
const NUMBER_BYTES = 8

const copyDocument = (document: object): MongoDocument => {
  const copy: MongoDocument = {}
  counted += DOCUMENT_BYTES
  for (const name of Object.keys(document)) {
    const value = (document as MongoDocument)[name]
    if (value === undefined) continue
    counted += name.length + MEMBER_BYTES
    const copied = copyValue(value)
    if (name === '__proto__')
      Object.defineProperty(copy, name, {
        value: copied,
        enumerable: true,
        configurable: true,
        writable: true,
      })
    else copy[name] = copied
  }
  return copy
}

const copyList = (list: readonly unknown[]): unknown[] => {
  counted += DOCUMENT_BYTES
  return list.map((item) => {
    counted += MEMBER_BYTES + 2
    return copyValue(item)
  })
}

/** Handles strings and numbers first, because they are the most frequent. */
const copyObject = (value: object): unknown => {
  if (Array.isArray(value)) return copyList(value)
  if (value instanceof Binary || value instanceof RawValue) {
    counted += value.bytes.length + TEXT_BYTES
    return value
  }
  if (value instanceof ObjectId || value instanceof Date) {
    counted += NUMBER_BYTES
    return value
  }
  return Buffer.isBuffer(value) ? copyObject(new Binary(value)) : copyDocument(value)
}

const copyValue = (value: unknown): unknown => {
  if (typeof value === 'string') {
    counted += Buffer.byteLength(value) + TEXT_BYTES
    return value
  }
  if (value === null || value === undefined) return null
  if (typeof value === 'object') return copyObject(value)
  counted += NUMBER_BYTES
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}

/** Shares immutable values, such as ids and dates, as the codec does. */
export const copyAsBson = (document: MongoDocument): { document: MongoDocument; bytes: number } => {
  counted = 0
  return { document: copyDocument(document), bytes: counted }
}

/** Dotted paths into documents: `posts.0.text`. */
import { Binary, type Document, ObjectId, RawValue } from './bson.ts'
import { MongoFailure } from './mongo-failure.ts'

export const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Date) &&
  !(value instanceof ObjectId) &&
  !(value instanceof Binary) &&
  !(value instanceof RawValue)

/** Maximum number of nulls that are added to a list when an element beyond its end is set. */
const MAX_BACKFILL = 1_500_000

const isIndex = (part: string): boolean => /^\d+$/.test(part)

/** Returns all values at the path. A list on the path contributes the values of each of its elements. */
export const valuesAt = (value: unknown, path: readonly string[]): unknown[] => {
  const [first, ...rest] = path
  if (first === undefined) return value === undefined ? [] : [value]
  if (Array.isArray(value)) {
    const direct = isIndex(first) ? valuesAt(value[Number(first)], rest) : []
    return [...direct, ...value.filter(isDocument).flatMap((item) => valuesAt(item, path))]
  }
  return isDocument(value) && Object.hasOwn(value, first) ? valuesAt(value[first], rest) : []
}

/**
 * Returns the list or document that contains the last part of the path, and that part. Adds missing documents
 * if `shouldCreate` is set.
 */
const findParent = (document: Document, path: string, shouldCreate: boolean): [any, string] | undefined => {
  const parts = path.split('.')
  const last = parts.pop()!
  let parent: any = document
  for (const part of parts) {
    if (!Object.hasOwn(parent, part)) {
      if (!shouldCreate) return
      parent[part] = {}
    }
    parent = parent[part]
    if (isDocument(parent) || Array.isArray(parent)) continue
    if (!shouldCreate) return
    throw new MongoFailure('PathNotViable', `Cannot create field '${last}' in element {${part}: ${parent}}`)
  }
  return [parent, last]
}

export const getAt = (document: Document, path: string): unknown => {
  const found = findParent(document, path, false)
  return found && Object.hasOwn(found[0], found[1]) ? found[0][found[1]] : undefined
}

export const setAt = (document: Document, path: string, value: unknown): void => {
  const [parent, last] = findParent(document, path, true)!
  if (Array.isArray(parent) && isIndex(last) && Number(last) - parent.length > MAX_BACKFILL)
    throw new MongoFailure('CannotBackfillArray', `can't backfill more than ${MAX_BACKFILL} elements`)
  if (Array.isArray(parent)) while (isIndex(last) && parent.length < Number(last)) parent.push(null)
  parent[last] = value
}

export const unsetAt = (document: Document, path: string): void => {
  const found = findParent(document, path, false)
  if (!found) return
  if (Array.isArray(found[0]) && Object.hasOwn(found[0], found[1])) found[0][Number(found[1])] = null
  else delete found[0][found[1]]
}

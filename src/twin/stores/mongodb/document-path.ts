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

/** As many elements may be made before one that is set far behind the end. */
const MOST_MISSING = 1_500_000

const isIndex = (part: string): boolean => /^\d+$/.test(part)

/** All values that the path leads to: through a list it leads to each element's. Empty where there is none. */
export const valuesAt = (value: unknown, path: readonly string[]): unknown[] => {
  const [first, ...rest] = path
  if (first === undefined) return value === undefined ? [] : [value]
  if (Array.isArray(value)) {
    const direct = isIndex(first) ? valuesAt(value[Number(first)], rest) : []
    return [...direct, ...value.filter(isDocument).flatMap((item) => valuesAt(item, path))]
  }
  return isDocument(value) && Object.hasOwn(value, first) ? valuesAt(value[first], rest) : []
}

/** The list or document that has the last part of the path, made where `make` says so. */
const holderOf = (document: Document, path: string, make: boolean): [any, string] | undefined => {
  const parts = path.split('.')
  const last = parts.pop()!
  let holder: any = document
  for (const part of parts) {
    if (!Object.hasOwn(holder, part)) {
      if (!make) return
      holder[part] = {}
    }
    holder = holder[part]
    if (isDocument(holder) || Array.isArray(holder)) continue
    if (!make) return
    throw new MongoFailure('PathNotViable', `Cannot create field '${last}' in element {${part}: ${holder}}`)
  }
  return [holder, last]
}

export const getAt = (document: Document, path: string): unknown => {
  const found = holderOf(document, path, false)
  return found && Object.hasOwn(found[0], found[1]) ? found[0][found[1]] : undefined
}

export const setAt = (document: Document, path: string, value: unknown): void => {
  const [holder, last] = holderOf(document, path, true)!
  if (Array.isArray(holder) && isIndex(last) && Number(last) - holder.length > MOST_MISSING)
    throw new MongoFailure('CannotBackfillArray', `can't backfill more than ${MOST_MISSING} elements`)
  if (Array.isArray(holder)) while (isIndex(last) && holder.length < Number(last)) holder.push(null)
  holder[last] = value
}

export const unsetAt = (document: Document, path: string): void => {
  const found = holderOf(document, path, false)
  if (!found) return
  if (Array.isArray(found[0]) && Object.hasOwn(found[0], found[1])) found[0][Number(found[1])] = null
  else delete found[0][found[1]]
}

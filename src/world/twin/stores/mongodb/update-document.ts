/** Applies an update to a document. An update consists of operators, or is a replacement. */
import type { Document } from './bson.ts'
import { compareValues, equalValues } from './compare-values.ts'
import { getAt, isDocument, setAt, unsetAt } from './document-path.ts'
import { matchesFilter } from './match-filter.ts'
import { MongoFailure } from './mongo-failure.ts'

type Operator = (document: Document, path: string, value: any, now: number) => void

const listAt = (document: Document, path: string, operator: string): unknown[] => {
  const current = getAt(document, path)
  if (current === undefined) return []
  if (!Array.isArray(current))
    throw new MongoFailure('BadValue', `The field '${path}' must be an array but is not, for ${operator}`)
  return [...current]
}

const numberAt = (document: Document, path: string, operator: string, operand: unknown): number => {
  const current = getAt(document, path) ?? 0
  if (typeof current !== 'number' || typeof operand !== 'number')
    throw new MongoFailure(
      'TypeMismatch',
      `Cannot apply ${operator} to a value of non-numeric type at '${path}'`,
    )
  return current
}

const push: Operator = (document, path, value) => {
  const list = listAt(document, path, '$push')
  const isMultiple = isDocument(value) && Array.isArray(value.$each)
  const position = isMultiple && typeof value.$position === 'number' ? value.$position : list.length
  list.splice(position, 0, ...(isMultiple ? value.$each : [value]))
  if (isMultiple && value.$sort !== undefined) {
    const sortKeys = isDocument(value.$sort) ? Object.entries(value.$sort) : []
    list.sort((left, right) =>
      sortKeys.length === 0
        ? compareValues(left, right) * value.$sort
        : compareByKeys(left as Document, right as Document, sortKeys as [string, number][]),
    )
  }
  const slice = isMultiple ? value.$slice : undefined
  setAt(
    document,
    path,
    slice === undefined ? list : slice < 0 ? list.slice(slice) : list.slice(0, slice as number),
  )
}

const compareByKeys = (left: Document, right: Document, keys: readonly [string, number][]): number => {
  for (const [path, direction] of keys) {
    const order = compareValues(getAt(left, path), getAt(right, path))
    if (order !== 0) return order * direction
  }
  return 0
}

const pull: Operator = (document, path, condition) => {
  if (getAt(document, path) === undefined) return
  const isMatch = (item: unknown) =>
    isDocument(condition)
      ? isDocument(item) && !Object.keys(condition).some((name) => name.startsWith('$'))
        ? matchesFilter(item, condition)
        : matchesFilter({ item }, { item: condition })
      : equalValues(item, condition)
  setAt(
    document,
    path,
    listAt(document, path, '$pull').filter((item) => !isMatch(item)),
  )
}

const addToSet: Operator = (document, path, value) => {
  const list = listAt(document, path, '$addToSet')
  const added = isDocument(value) && Array.isArray(value.$each) ? value.$each : [value]
  for (const item of added) if (!list.some((existing) => equalValues(existing, item))) list.push(item)
  setAt(document, path, list)
}

const OPERATORS: Record<string, Operator> = {
  $set: setAt,
  $setOnInsert: () => {},
  $unset: (document, path) => unsetAt(document, path),
  $inc: (document, path, value) =>
    setAt(document, path, numberAt(document, path, '$inc', value) + (value as number)),
  $mul: (document, path, value) =>
    setAt(document, path, numberAt(document, path, '$mul', value) * (value as number)),
  $min: (document, path, value) => {
    const current = getAt(document, path)
    if (current === undefined || compareValues(value, current) < 0) setAt(document, path, value)
  },
  $max: (document, path, value) => {
    const current = getAt(document, path)
    if (current === undefined || compareValues(value, current) > 0) setAt(document, path, value)
  },
  $rename: (document, path, value) => {
    const current = getAt(document, path)
    if (current === undefined) return
    unsetAt(document, path)
    setAt(document, String(value), current)
  },
  $push: push,
  $pull: pull,
  $pullAll: (document, path, values) =>
    setAt(
      document,
      path,
      listAt(document, path, '$pullAll').filter(
        (item) => !values.some((value: unknown) => equalValues(item, value)),
      ),
    ),
  $addToSet: addToSet,
  $pop: (document, path, value) =>
    setAt(
      document,
      path,
      value < 0 ? listAt(document, path, '$pop').slice(1) : listAt(document, path, '$pop').slice(0, -1),
    ),
  $currentDate: (document, path, _value, now) => setAt(document, path, new Date(now)),
}

/** Copies lists and documents, so that the original is unchanged. Other values are shared. */
const copy = (value: unknown): any => {
  if (Array.isArray(value)) return value.map(copy)
  if (!isDocument(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copy(item)]))
}

const replaceDocument = (document: Document, update: Document): Document => {
  if ('_id' in update && '_id' in document && !equalValues(update._id, document._id))
    throw new MongoFailure('ImmutableField', "the field '_id' is immutable")
  return '_id' in document ? { _id: document._id, ...copy(update) } : copy(update)
}

export interface UpdateOptions {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Whether the document is new. */
  readonly isInsert?: boolean
}

const applyOperators = (
  document: Document,
  update: Document,
  { now, isInsert = false }: UpdateOptions,
): Document => {
  const changed = copy(document)
  for (const [name, fields] of Object.entries(update)) {
    const operator = name === '$setOnInsert' && isInsert ? setAt : OPERATORS[name]
    if (!operator) throw new MongoFailure('FailedToParse', `Unknown modifier: ${name}`)
    for (const [path, value] of Object.entries(fields as Document)) operator(changed, path, copy(value), now)
  }
  if ('_id' in document && !equalValues(changed._id, document._id))
    throw new MongoFailure('ImmutableField', "Performing an update on the path '_id' would modify it")
  return changed
}

/** Returns a new document; the old one is unchanged. */
export const updateDocument = (document: Document, update: unknown, options: UpdateOptions): Document => {
  if (!isDocument(update))
    throw new MongoFailure('FailedToParse', 'an update must be a document; pipelines are not supported')
  const operators = Object.keys(update).filter((name) => name.startsWith('$')).length
  if (operators === 0) return replaceDocument(document, update)
  return applyOperators(document, update, options)
}

/** The initial document of an upsert: the equality conditions of its filter. */
export const documentOfFilter = (filter: Document): Document => {
  const document: Document = {}
  for (const [path, condition] of Object.entries(filter)) {
    if (path === '$and') for (const part of condition) Object.assign(document, documentOfFilter(part))
    else if (path.startsWith('$')) continue
    else if (!isDocument(condition) || !Object.keys(condition).some((name) => name.startsWith('$')))
      setAt(document, path, condition)
    else if ('$eq' in condition) setAt(document, path, condition.$eq)
  }
  return document
}

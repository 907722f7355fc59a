/** Sorts, projects and aggregates the documents that a query found. */
import type { Document } from './bson.ts'
import { compareValues, toKey } from './compare-values.ts'
import { getAt, isDocument, setAt, unsetAt, valuesAt } from './document-path.ts'
import { matchesFilter } from './match-filter.ts'
import { MongoFailure } from './mongo-failure.ts'

export const sortDocuments = (documents: readonly Document[], sort: Document): Document[] => {
  const keys = Object.entries(sort)
  return documents.toSorted((left, right) => {
    for (const [path, direction] of keys) {
      const order = compareValues(getAt(left, path), getAt(right, path))
      if (order !== 0) return order * Number(direction)
    }
    return 0
  })
}

const pickPaths = (document: Document, paths: readonly string[]): Document => {
  const result: Document = {}
  for (const path of paths) {
    const value = getAt(document, path)
    if (value !== undefined) setAt(result, path, value)
    else if (path.includes('.')) pickThroughLists(document, result, path)
  }
  return result
}

/** Includes paths through lists: `items.name` keeps the name of each item. */
const pickThroughLists = (document: Document, result: Document, path: string): void => {
  const [first, ...rest] = path.split('.')
  const list = document[first!]
  if (!Array.isArray(list)) return
  const pickedItems = Array.isArray(result[first!]) ? result[first!] : list.filter(isDocument).map(() => ({}))
  list.filter(isDocument).forEach((item, index) => {
    Object.assign(pickedItems[index], pickPaths(item, [rest.join('.')]))
  })
  result[first!] = pickedItems
}

const sliceList = (list: unknown, slice: number | [number, number]): unknown => {
  if (!Array.isArray(list)) return list
  if (Array.isArray(slice)) {
    const from = slice[0] < 0 ? Math.max(0, list.length + slice[0]) : slice[0]
    return list.slice(from, from + slice[1])
  }
  return slice < 0 ? list.slice(slice) : list.slice(0, slice)
}

export const projectDocument = (document: Document, projection: Document): Document => {
  const entries = Object.entries(projection)
  const slices = entries.filter(([, value]) => isDocument(value) && '$slice' in value)
  const plain = entries.filter(([, value]) => !isDocument(value))
  const fields = plain.filter(([path]) => path !== '_id')
  const isInclusion =
    fields.some(([, value]) => Boolean(value)) || (fields.length === 0 && Boolean(projection._id))
  let result: Document
  if (isInclusion) {
    const paths = [...fields.filter(([, value]) => value), ...slices].map(([path]) => path)
    const withId = projection._id === undefined || projection._id ? ['_id'] : []
    result = pickPaths(document, [...withId, ...paths])
  } else {
    result = structuredCopy(document)
    for (const [path, value] of plain) if (!value) unsetAt(result, path)
  }
  for (const [path, value] of slices) {
    const list = getAt(document, path)
    if (list !== undefined) setAt(result, path, sliceList(list, value.$slice))
  }
  return result
}

const structuredCopy = (document: Document): Document =>
  Object.fromEntries(
    Object.entries(document).map(([name, value]) => [
      name,
      isDocument(value) ? structuredCopy(value) : value,
    ]),
  )

/** Evaluates `"$price"` to that field, also inside a document. Other values remain unchanged. */
const evaluate = (document: Document, expression: unknown): unknown => {
  if (typeof expression === 'string' && expression.startsWith('$')) {
    const values = valuesAt(document, expression.slice(1).split('.'))
    return values.length > 1 ? values : values[0]
  }
  if (!isDocument(expression)) return expression
  return Object.fromEntries(
    Object.entries(expression).map(([name, part]) => [name, evaluate(document, part)]),
  )
}

const filterNumbers = (values: readonly unknown[]): number[] =>
  values.filter((value): value is number => typeof value === 'number')

const sum = (values: readonly unknown[]): number =>
  filterNumbers(values).reduce((left, right) => left + right, 0)

const findExtreme = (values: readonly unknown[], sign: number): unknown => {
  const present = values.filter((value) => value !== null && value !== undefined)
  return present.toSorted((left, right) => compareValues(right, left) * sign)[0]
}

const ACCUMULATORS: Record<string, (values: readonly unknown[]) => unknown> = {
  $sum: sum,
  $avg: (values) => (filterNumbers(values).length === 0 ? null : sum(values) / filterNumbers(values).length),
  $min: (values) => findExtreme(values, -1) ?? null,
  $max: (values) => findExtreme(values, 1) ?? null,
  $first: (values) => values[0] ?? null,
  $last: (values) => values.at(-1) ?? null,
  $push: (values) => values,
  $addToSet: (values) => [...new Map(values.map((value) => [toKey(value), value])).values()],
  $count: (values) => values.length,
}

const groupDocuments = (documents: readonly Document[], group: Document): Document[] => {
  const { _id: groupKey, ...fields } = group
  const groups = Map.groupBy(documents, (document) => toKey(evaluate(document, groupKey)))
  return [...groups.values()].map((members) => {
    const result: Document = { _id: evaluate(members[0]!, groupKey) ?? null }
    for (const [name, accumulator] of Object.entries(fields)) {
      const [[operator, expression]] = Object.entries(accumulator as Document) as [[string, unknown]]
      const accumulate = ACCUMULATORS[operator]
      if (!accumulate) throw new MongoFailure('BadValue', `unknown group operator '${operator}'`)
      result[name] = accumulate(members.map((member) => evaluate(member, expression)))
    }
    return result
  })
}

const unwind = (documents: readonly Document[], stage: unknown): Document[] => {
  const path = String(isDocument(stage) ? stage.path : stage).slice(1)
  return documents.flatMap((document) => {
    const list = getAt(document, path)
    return (Array.isArray(list) ? list : list === undefined ? [] : [list]).map((item) => {
      const copy = structuredCopy(document)
      setAt(copy, path, item)
      return copy
    })
  })
}

const STAGES: Record<string, (documents: readonly Document[], stage: any) => Document[]> = {
  $match: (documents, filter) => documents.filter((document) => matchesFilter(document, filter)),
  $sort: sortDocuments,
  $limit: (documents, count) => documents.slice(0, count),
  $skip: (documents, count) => documents.slice(count),
  $project: (documents, projection) => documents.map((document) => projectDocument(document, projection)),
  $group: groupDocuments,
  $count: (documents, name) => (documents.length > 0 ? [{ [name]: documents.length }] : []),
  $unwind: unwind,
}

export const aggregateDocuments = (
  documents: readonly Document[],
  pipeline: readonly Document[],
): Document[] =>
  pipeline.reduce<Document[]>(
    (current, stage) => {
      const [name = ''] = Object.keys(stage)
      const run = STAGES[name]
      if (!run) throw new MongoFailure('BadValue', `Unrecognized pipeline stage name: '${name}'`)
      return run(current, stage[name])
    },
    [...documents],
  )

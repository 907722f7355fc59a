/** Whether a document is one of those that a filter of MongoDB means. */
import { type Document, RawValue } from './bson.ts'
import { compareValues, equalValues, typeRank } from './compare-values.ts'
import { isDocument, valuesAt } from './document-path.ts'
import { MongoFailure } from './mongo-failure.ts'

const REGEX = 0x0b

/** A list matches as a whole and by each of its elements. */
const candidates = (values: readonly unknown[]): unknown[] =>
  values.flatMap((value) => (Array.isArray(value) ? [value, ...value] : [value]))

const toRegExp = (value: RawValue): RegExp => {
  const [source = '', flags = ''] = value.bytes.toString('utf8').split('\0')
  return new RegExp(source, flags.replace(/[^imsu]/g, ''))
}

const equalsAny = (values: readonly unknown[], wanted: unknown): boolean => {
  if (wanted instanceof RawValue && wanted.type === REGEX) {
    const pattern = toRegExp(wanted)
    return candidates(values).some((value) => typeof value === 'string' && pattern.test(value))
  }
  if (wanted === null && values.length === 0) return true
  return candidates(values).some((value) => equalValues(value, wanted))
}

/** Only values of the same type are larger or smaller. */
const compares = (values: readonly unknown[], wanted: unknown, holds: (order: number) => boolean): boolean =>
  candidates(values).some(
    (value) => typeRank(value) === typeRank(wanted) && holds(compareValues(value, wanted)),
  )

const listOf = (operator: string, wanted: unknown): readonly unknown[] => {
  if (!Array.isArray(wanted)) throw new MongoFailure('BadValue', `${operator} needs an array`)
  return wanted
}

type Operator = (values: readonly unknown[], wanted: any, all: Document) => boolean

const OPERATORS: Record<string, Operator> = {
  $eq: equalsAny,
  $ne: (values, wanted) => !equalsAny(values, wanted),
  $gt: (values, wanted) => compares(values, wanted, (order) => order > 0),
  $gte: (values, wanted) => compares(values, wanted, (order) => order >= 0),
  $lt: (values, wanted) => compares(values, wanted, (order) => order < 0),
  $lte: (values, wanted) => compares(values, wanted, (order) => order <= 0),
  $in: (values, wanted) => listOf('$in', wanted).some((item) => equalsAny(values, item)),
  $nin: (values, wanted) => !listOf('$nin', wanted).some((item) => equalsAny(values, item)),
  $exists: (values, wanted) => values.length > 0 === Boolean(wanted),
  $size: (values, wanted) => values.some((value) => Array.isArray(value) && value.length === wanted),
  $all: (values, wanted) => listOf('$all', wanted).every((item) => equalsAny(values, item)),
  $elemMatch: (values, wanted) =>
    values.some((value) => Array.isArray(value) && value.some((item) => matchesElement(item, wanted))),
  $not: (values, wanted) => !matchesCondition(values, wanted),
  $regex: (values, wanted, all) => {
    const pattern =
      wanted instanceof RawValue
        ? toRegExp(wanted)
        : new RegExp(String(wanted), String(all.$options ?? '').replace(/[^imsu]/g, ''))
    return candidates(values).some((value) => typeof value === 'string' && pattern.test(value))
  },
  $options: () => true,
}

const matchesElement = (item: unknown, condition: Document): boolean =>
  isOperators(condition)
    ? matchesCondition([item], condition)
    : isDocument(item) && matchesFilter(item, condition)

const isOperators = (condition: unknown): condition is Document =>
  isDocument(condition) && Object.keys(condition).some((name) => name.startsWith('$'))

const matchesCondition = (values: readonly unknown[], condition: unknown): boolean => {
  if (!isOperators(condition)) return equalsAny(values, condition)
  return Object.entries(condition).every(([name, wanted]) => {
    const operator = OPERATORS[name]
    if (!operator) throw new MongoFailure('BadValue', `unknown operator: ${name}`)
    return operator(values, wanted, condition)
  })
}

const matchesLogic = (document: Document, name: string, wanted: unknown): boolean => {
  if (name === '$comment') return true
  const filters = listOf(name, wanted) as readonly Document[]
  if (name === '$or') return filters.some((filter) => matchesFilter(document, filter))
  if (name === '$and') return filters.every((filter) => matchesFilter(document, filter))
  if (name === '$nor') return !filters.some((filter) => matchesFilter(document, filter))
  throw new MongoFailure('BadValue', `unknown top level operator: ${name}`)
}

export const matchesFilter = (document: Document, filter: Document): boolean =>
  Object.entries(filter).every(([name, wanted]) =>
    name.startsWith('$')
      ? matchesLogic(document, name, wanted)
      : matchesCondition(valuesAt(document, name.split('.')), wanted),
  )

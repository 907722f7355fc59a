/** Tests whether a document matches a MongoDB filter. */
import { type Document, RawValue } from './bson.ts'
import { compareValues, equalValues, typeRank } from './compare-values.ts'
import { isDocument, valuesAt } from './document-path.ts'
import { MongoFailure } from './mongo-failure.ts'

const REGEX = 0x0b

/** A list matches as a whole and by each of its elements. */
const expandLists = (values: readonly unknown[]): unknown[] =>
  values.flatMap((value) => (Array.isArray(value) ? [value, ...value] : [value]))

const toRegExp = (value: RawValue): RegExp => {
  const [source = '', flags = ''] = value.bytes.toString('utf8').split('\0')
  return new RegExp(source, flags.replace(/[^imsu]/g, ''))
}

const equalsAny = (values: readonly unknown[], operand: unknown): boolean => {
  if (operand instanceof RawValue && operand.type === REGEX) {
    const pattern = toRegExp(operand)
    return expandLists(values).some((value) => typeof value === 'string' && pattern.test(value))
  }
  if (operand === null && values.length === 0) return true
  return expandLists(values).some((value) => equalValues(value, operand))
}

/** Values of different types never match. */
const matchesOrder = (
  values: readonly unknown[],
  operand: unknown,
  holds: (order: number) => boolean,
): boolean =>
  expandLists(values).some(
    (value) => typeRank(value) === typeRank(operand) && holds(compareValues(value, operand)),
  )

const checkList = (operator: string, operand: unknown): readonly unknown[] => {
  if (!Array.isArray(operand)) throw new MongoFailure('BadValue', `${operator} needs an array`)
  return operand
}

type Operator = (values: readonly unknown[], operand: any, condition: Document) => boolean

const OPERATORS: Record<string, Operator> = {
  $eq: equalsAny,
  $ne: (values, operand) => !equalsAny(values, operand),
  $gt: (values, operand) => matchesOrder(values, operand, (order) => order > 0),
  $gte: (values, operand) => matchesOrder(values, operand, (order) => order >= 0),
  $lt: (values, operand) => matchesOrder(values, operand, (order) => order < 0),
  $lte: (values, operand) => matchesOrder(values, operand, (order) => order <= 0),
  $in: (values, operand) => checkList('$in', operand).some((item) => equalsAny(values, item)),
  $nin: (values, operand) => !checkList('$nin', operand).some((item) => equalsAny(values, item)),
  $exists: (values, operand) => values.length > 0 === Boolean(operand),
  $size: (values, operand) => values.some((value) => Array.isArray(value) && value.length === operand),
  $all: (values, operand) => checkList('$all', operand).every((item) => equalsAny(values, item)),
  $elemMatch: (values, operand) =>
    values.some((value) => Array.isArray(value) && value.some((item) => matchesElement(item, operand))),
  $not: (values, operand) => !matchesCondition(values, operand),
  $regex: (values, operand, condition) => {
    const pattern =
      operand instanceof RawValue
        ? toRegExp(operand)
        : new RegExp(String(operand), String(condition.$options ?? '').replace(/[^imsu]/g, ''))
    return expandLists(values).some((value) => typeof value === 'string' && pattern.test(value))
  },
  $options: () => true,
}

const matchesElement = (item: unknown, condition: Document): boolean =>
  hasOperators(condition)
    ? matchesCondition([item], condition)
    : isDocument(item) && matchesFilter(item, condition)

const hasOperators = (condition: unknown): condition is Document =>
  isDocument(condition) && Object.keys(condition).some((name) => name.startsWith('$'))

const matchesCondition = (values: readonly unknown[], condition: unknown): boolean => {
  if (!hasOperators(condition)) return equalsAny(values, condition)
  return Object.entries(condition).every(([name, operand]) => {
    const operator = OPERATORS[name]
    if (!operator) throw new MongoFailure('BadValue', `unknown operator: ${name}`)
    return operator(values, operand, condition)
  })
}

const matchesLogic = (document: Document, name: string, operand: unknown): boolean => {
  if (name === '$comment') return true
  const filters = checkList(name, operand) as readonly Document[]
  if (name === '$or') return filters.some((filter) => matchesFilter(document, filter))
  if (name === '$and') return filters.every((filter) => matchesFilter(document, filter))
  if (name === '$nor') return !filters.some((filter) => matchesFilter(document, filter))
  throw new MongoFailure('BadValue', `unknown top level operator: ${name}`)
}

export const matchesFilter = (document: Document, filter: Document): boolean =>
  Object.entries(filter).every(([name, operand]) =>
    name.startsWith('$')
      ? matchesLogic(document, name, operand)
      : matchesCondition(valuesAt(document, name.split('.')), operand),
  )

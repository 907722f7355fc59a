/** Compares values of all types in the order of MongoDB, and converts equal values to equal keys. */
import { Binary, ObjectId, RawValue } from './bson.ts'

const MIN_KEY = 0xff
const MAX_KEY = 0x7f

/** The rank by which values of different types compare. */
export const typeRank = (value: unknown): number => {
  if (value === null || value === undefined) return 1
  if (typeof value === 'number' || typeof value === 'bigint') return 2
  if (typeof value === 'string') return 3
  if (Array.isArray(value)) return 5
  if (value instanceof Binary) return 6
  if (value instanceof ObjectId) return 7
  if (typeof value === 'boolean') return 8
  if (value instanceof Date) return 9
  if (value instanceof RawValue) return value.type === MIN_KEY ? 0 : value.type === MAX_KEY ? 12 : 10
  return 4
}

const comparePrimitives = <T>(left: T, right: T): number => (left < right ? -1 : left > right ? 1 : 0)

const compareLists = (left: readonly unknown[], right: readonly unknown[]): number => {
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const result = compareValues(left[index], right[index])
    if (result !== 0) return result
  }
  return left.length - right.length
}

const compareObjects = (left: object, right: object): number =>
  compareLists(Object.entries(left).flat(), Object.entries(right).flat())

export const compareValues = (left: any, right: any): number => {
  const rank = typeRank(left)
  const byType = rank - typeRank(right)
  if (byType !== 0) return byType
  if (rank === 1) return 0
  if (rank === 4) return compareObjects(left, right)
  if (rank === 5) return compareLists(left, right)
  if (rank === 6 || rank === 10) return Buffer.compare(left.bytes, right.bytes)
  if (rank === 7) return comparePrimitives(left.hex, right.hex)
  if (rank === 9) return comparePrimitives(left.getTime(), right.getTime())
  return comparePrimitives(left, right)
}

/** Returns equal strings for equal values, and different strings otherwise. */
export const toKey = (value: any): string => {
  const rank = typeRank(value)
  if (rank === 1) return 'null'
  if (rank === 2) return `n${value}`
  if (rank === 3) return `s${value}`
  if (rank === 5) return `[${value.map((item: unknown) => JSON.stringify(toKey(item))).join()}]`
  if (rank === 4) return JSON.stringify(Object.entries(value).map(([name, item]) => [name, toKey(item)]))
  if (value instanceof Binary || value instanceof RawValue) return `b${value.bytes.toString('base64')}`
  if (rank === 7) return `o${value.hex}`
  return rank === 9 ? `d${value.getTime()}` : String(value)
}

export const equalValues = (left: unknown, right: unknown): boolean => compareValues(left, right) === 0

/** Encodes results of a MySQL server: as text for queries, in binary for prepared statements. */
import type { Cell, Rows } from './databases.ts'
import type { MysqlError } from './mysql-error.ts'
import { CHARSET, COLUMN, toLength, toNumber, toText } from './packets.ts'

const AUTOCOMMIT = 2

const MORE_RESULTS = 8

const statusOf = (hasMore: boolean): Buffer => toNumber(AUTOCOMMIT | (hasMore ? MORE_RESULTS : 0), 2)

export const okPacket = (affected = 0, lastId = 0, hasMore = false): Buffer =>
  Buffer.concat([Buffer.from([0]), toLength(affected), toLength(lastId), statusOf(hasMore), toNumber(0, 2)])

export const errorPacket = ({ code, state, message }: MysqlError): Buffer =>
  Buffer.concat([Buffer.from([0xff]), toNumber(code, 2), Buffer.from(`#${state}${message}`)])

export const endPacket = (hasMore = false): Buffer =>
  Buffer.concat([Buffer.from([0xfe]), toNumber(0, 2), statusOf(hasMore)])

const DECLARED_TYPES: readonly (readonly [RegExp, number])[] = [
  [/INT|^BOOL|^BIT/i, COLUMN.longLong],
  [/CHAR|CLOB|TEXT/i, COLUMN.text],
  [/BLOB|BINARY/i, COLUMN.blob],
  [/DOUB|FLOA|REAL/i, COLUMN.double],
  [/^DECIMAL|^NUMERIC/i, COLUMN.decimal],
  [/^DATETIME|^TIMESTAMP/i, COLUMN.dateTime],
  [/^DATE$/i, COLUMN.date],
  [/^JSON/i, COLUMN.json],
]

const typeOfValue = (value: Cell | undefined): number => {
  if (typeof value === 'bigint') return COLUMN.longLong
  if (typeof value === 'number') return Number.isInteger(value) ? COLUMN.longLong : COLUMN.double
  return value instanceof Uint8Array ? COLUMN.blob : COLUMN.text
}

/** The declared type of the column, or for an expression the type of its values. */
const columnType = (declared: string | null, values: readonly (Cell | undefined)[]): number => {
  const declaredType =
    declared === null ? undefined : DECLARED_TYPES.find(([pattern]) => pattern.test(declared))?.[1]
  if (declaredType !== undefined) return declaredType
  const nonNull = values.filter((value) => value !== null && value !== undefined)
  return nonNull.some((value) => typeof value === 'number' && !Number.isInteger(value))
    ? COLUMN.double
    : typeOfValue(nonNull[0])
}

export const columnPacket = (name: string, type: number): Buffer =>
  Buffer.concat([
    toText('def'),
    toText(''),
    toText(''),
    toText(''),
    toText(name),
    toText(name),
    toLength(12),
    toNumber(type === COLUMN.blob ? 63 : CHARSET, 2),
    toNumber(1024, 4),
    toNumber(type, 1),
    toNumber(0, 2),
    toNumber(type === COLUMN.double ? 31 : 0, 1),
    toNumber(0, 2),
  ])

const NULL = Buffer.from([0xfb])

const textCell = (value: Cell): Buffer => {
  if (value === null) return NULL
  return toText(value instanceof Uint8Array ? value : String(value))
}

/** The types of the columns in the protocol. */
export const typesOf = ({ columns, rows }: Rows): number[] =>
  columns.map(({ type }, at) =>
    columnType(
      type,
      rows.map((row) => row[at]),
    ),
  )

export const textPackets = (result: Rows, hasMore = false): Buffer[] => {
  const types = typesOf(result)
  return [
    toLength(result.columns.length),
    ...result.columns.map(({ name }, at) => columnPacket(name, types[at]!)),
    endPacket(),
    ...result.rows.map((row) => Buffer.concat(row.map(textCell))),
    endPacket(hasMore),
  ]
}

const binaryCell = (value: Cell, type: number): Buffer => {
  if (value === null) return Buffer.alloc(0)
  const bytes = Buffer.alloc(8)
  if (type === COLUMN.longLong) bytes.writeBigInt64LE(BigInt(value as bigint))
  else if (type === COLUMN.double) bytes.writeDoubleLE(Number(value))
  else return textCell(value)
  return bytes
}

const binaryRow = (row: readonly Cell[], types: readonly number[]): Buffer => {
  const nulls = Buffer.alloc((row.length + 9) >> 3)
  for (const [at, value] of row.entries()) if (value === null) nulls[(at + 2) >> 3]! |= 1 << ((at + 2) & 7)
  return Buffer.concat([Buffer.from([0]), nulls, ...row.map((value, at) => binaryCell(value, types[at]!))])
}

/** Dates are sent as text, which every client can parse. */
export const binaryPackets = (result: Rows): Buffer[] => {
  const types = typesOf(result).map((type) =>
    type === COLUMN.dateTime || type === COLUMN.date ? COLUMN.text : type,
  )
  return [
    toLength(result.columns.length),
    ...result.columns.map(({ name }, at) => columnPacket(name, types[at]!)),
    endPacket(),
    ...result.rows.map((row) => binaryRow(row, types)),
    endPacket(),
  ]
}

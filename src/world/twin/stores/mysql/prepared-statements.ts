/** Prepared statements: SQL with placeholders, whose values arrive in binary. */
import { MysqlError } from './mysql-error.ts'
import { COLUMN, Fields, toNumber } from './packets.ts'
import { columnPacket, endPacket } from './result-packets.ts'
import type { Token } from './tokens.ts'

const NULL_TYPE = 6

/** Limit per connection; in MySQL it is global. */
const MAX_PREPARED_STATEMENTS = 16_382

const readTime = (fields: Fields): string => {
  const length = fields.number(1)
  if (length === 0) return '0000-00-00 00:00:00'
  const pad = (number: number): string => String(number).padStart(2, '0')
  const date = `${fields.number(2)}-${pad(fields.number(1))}-${pad(fields.number(1))}`
  if (length === 4) return date
  const time = `${pad(fields.number(1))}:${pad(fields.number(1))}:${pad(fields.number(1))}`
  if (length > 7) fields.number(4)
  return `${date} ${time}`
}

const readInteger = (fields: Fields, size: number, unsigned: boolean): string => {
  const bytes = Buffer.alloc(8)
  const encoded = fields.bytes(size)
  encoded.copy(bytes)
  const value = bytes.readBigUInt64LE()
  return String(unsigned ? value : BigInt.asIntN(size * 8, value))
}

const SIZES: Readonly<Record<number, number>> = { 1: 1, 2: 2, 3: 4, 8: 8, 9: 4 }

const readValue = (fields: Fields, type: number, unsigned: boolean): Token => {
  const size = SIZES[type]
  if (size !== undefined) return { kind: 'number', text: readInteger(fields, size, unsigned) }
  if (type === COLUMN.double) return { kind: 'number', text: String(fields.bytes(8).readDoubleLE()) }
  if (type === 4) return { kind: 'number', text: String(fields.bytes(4).readFloatLE()) }
  if (type === 7 || type === COLUMN.date || type === COLUMN.dateTime)
    return { kind: 'string', text: readTime(fields) }
  return { kind: 'string', text: fields.text() ?? '' }
}

interface PreparedStatement {
  readonly tokens: readonly Token[]
  readonly parameterCount: number
  types: readonly (readonly [number, boolean])[]
}

export class PreparedStatements {
  readonly #statements = new Map<number, PreparedStatement>()
  #lastId = 0

  /** Returns the response packets. The server describes the columns only at execution. */
  prepare(tokens: readonly Token[]): Buffer[] {
    const parameterCount = tokens.filter(({ kind }) => kind === 'parameter').length
    if (this.#statements.size >= MAX_PREPARED_STATEMENTS || parameterCount > 0xffff)
      throw new MysqlError(
        1461,
        '42000',
        `Can't create more than max_prepared_stmt_count statements (current value: ${MAX_PREPARED_STATEMENTS})`,
      )
    this.#lastId += 1
    this.#statements.set(this.#lastId, { tokens, parameterCount, types: [] })
    const head = Buffer.concat([
      Buffer.from([0]),
      toNumber(this.#lastId, 4),
      toNumber(0, 2),
      toNumber(parameterCount, 2),
      Buffer.alloc(3),
    ])
    if (parameterCount === 0) return [head]
    return [
      head,
      ...Array.from({ length: parameterCount }, () => columnPacket('?', COLUMN.text)),
      endPacket(),
    ]
  }

  close(id: number): void {
    this.#statements.delete(id)
  }

  /** Returns the tokens of the statement, with values in place of its parameters. */
  bind(payload: Buffer): Token[] {
    const fields = new Fields(payload, 1)
    const id = fields.number(4)
    const statement = this.#statements.get(id)
    if (statement === undefined)
      throw new MysqlError(
        1243,
        'HY000',
        `Unknown prepared statement handler (${id}) given to mysqld_stmt_execute`,
      )
    fields.bytes(5)
    const values = statement.parameterCount > 0 ? this.#readValues(statement, fields) : []
    return statement.tokens.map((token) => (token.kind === 'parameter' ? values.shift()! : token))
  }

  #readValues(statement: PreparedStatement, fields: Fields): Token[] {
    const nulls = fields.bytes((statement.parameterCount + 7) >> 3)
    if (fields.number(1) === 1)
      statement.types = Array.from({ length: statement.parameterCount }, () => [
        fields.number(1),
        (fields.number(1) & 0x80) !== 0,
      ])
    return statement.types.map(([type, unsigned], at) => {
      const isNull = (nulls[at >> 3]! & (1 << (at & 7))) !== 0
      return isNull || type === NULL_TYPE ? { kind: 'word', text: 'NULL' } : readValue(fields, type, unsigned)
    })
  }
}

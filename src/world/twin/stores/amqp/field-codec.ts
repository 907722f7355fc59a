/** Reads and writes the field values of AMQP 0-9-1. */

export type FieldType = 'octet' | 'short' | 'long' | 'longlong' | 'shortstr' | 'longstr' | 'bit' | 'table'

export type Table = Record<string, unknown>

/** Reads values in order. Throws if the buffer is too short. */
export class FieldReader {
  readonly #buffer: Buffer
  #offset: number
  #bits = 0
  #bitCount = 0

  constructor(buffer: Buffer, offset = 0) {
    this.#buffer = buffer
    this.#offset = offset
  }

  get rest(): Buffer {
    return this.#buffer.subarray(this.#offset)
  }

  takeBytes(size: number): Buffer {
    if (this.#offset + size > this.#buffer.length) throw new Error('AMQP: a value is truncated')
    const bytes = this.#buffer.subarray(this.#offset, this.#offset + size)
    this.#offset += size
    return bytes
  }

  read(type: FieldType): any {
    if (type === 'bit') return this.#readBit()
    this.#bitCount = 0
    if (type === 'octet') return this.takeBytes(1)[0]!
    if (type === 'short') return this.takeBytes(2).readUInt16BE()
    if (type === 'long') return this.takeBytes(4).readUInt32BE()
    if (type === 'longlong') return Number(this.takeBytes(8).readBigUInt64BE())
    if (type === 'shortstr') return this.takeBytes(this.takeBytes(1)[0]!).toString('utf8')
    const bytes = this.takeBytes(this.takeBytes(4).readUInt32BE())
    return type === 'longstr' ? bytes.toString('utf8') : readTable(bytes)
  }

  /** Up to eight bits share a byte. */
  #readBit(): boolean {
    if (this.#bitCount % 8 === 0) this.#bits = this.takeBytes(1)[0]!
    const bit = (this.#bits >> (this.#bitCount % 8)) & 1
    this.#bitCount++
    return bit === 1
  }

  get isAtEnd(): boolean {
    return this.#offset >= this.#buffer.length
  }
}

const readTable = (bytes: Buffer): Table => {
  const reader = new FieldReader(bytes)
  const table: Table = {}
  while (!reader.isAtEnd) {
    const name = reader.read('shortstr')
    table[name] = readTagged(reader)
  }
  return table
}

const readArray = (bytes: Buffer): unknown[] => {
  const reader = new FieldReader(bytes)
  const items: unknown[] = []
  while (!reader.isAtEnd) items.push(readTagged(reader))
  return items
}

const READERS_BY_TAG: Record<string, (reader: FieldReader) => unknown> = {
  t: (reader) => reader.takeBytes(1)[0] === 1,
  b: (reader) => reader.takeBytes(1).readInt8(),
  B: (reader) => reader.takeBytes(1)[0],
  s: (reader) => reader.takeBytes(2).readInt16BE(),
  U: (reader) => reader.takeBytes(2).readInt16BE(),
  u: (reader) => reader.takeBytes(2).readUInt16BE(),
  I: (reader) => reader.takeBytes(4).readInt32BE(),
  i: (reader) => reader.takeBytes(4).readUInt32BE(),
  l: (reader) => Number(reader.takeBytes(8).readBigInt64BE()),
  L: (reader) => Number(reader.takeBytes(8).readBigInt64BE()),
  f: (reader) => reader.takeBytes(4).readFloatBE(),
  d: (reader) => reader.takeBytes(8).readDoubleBE(),
  T: (reader) => Number(reader.takeBytes(8).readBigUInt64BE()),
  S: (reader) => reader.read('longstr'),
  x: (reader) => reader.read('longstr'),
  V: () => null,
  F: (reader) => reader.read('table'),
  A: (reader) => readArray(reader.takeBytes(reader.read('long'))),
}

const readTagged = (reader: FieldReader): unknown => {
  const tag = String.fromCharCode(reader.takeBytes(1)[0]!)
  const read = READERS_BY_TAG[tag]
  if (!read) throw new Error(`AMQP: unknown field type ${tag}`)
  return read(reader)
}

const createBytes = (size: number, write: (bytes: Buffer) => void): Buffer => {
  const bytes = Buffer.alloc(size)
  write(bytes)
  return bytes
}

const toLongString = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value as string)
  return Buffer.concat([createBytes(4, (size) => size.writeUInt32BE(bytes.length)), bytes])
}

const toShortString = (value: string): Buffer => {
  const bytes = Buffer.from(value)
  if (bytes.length > 255) throw new Error('AMQP: a short string is longer than 255 bytes')
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

const withTag = (tag: string, bytes: Buffer): Buffer => Buffer.concat([Buffer.from(tag), bytes])

const toTagged = (value: unknown): Buffer => {
  if (typeof value === 'string') return withTag('S', toLongString(value))
  if (typeof value === 'boolean') return withTag('t', Buffer.from([value ? 1 : 0]))
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 0x7fffffff
      ? withTag(
          'I',
          createBytes(4, (bytes) => bytes.writeInt32BE(value)),
        )
      : withTag(
          'd',
          createBytes(8, (bytes) => bytes.writeDoubleBE(value)),
        )
  if (Array.isArray(value)) return withTag('A', toLongString(Buffer.concat(value.map(toTagged))))
  if (typeof value === 'object' && value !== null) return withTag('F', toTable(value as Table))
  return Buffer.from('V')
}

const toTable = (table: Table): Buffer =>
  toLongString(
    Buffer.concat(Object.entries(table).flatMap(([name, value]) => [toShortString(name), toTagged(value)])),
  )

const toField = (type: Exclude<FieldType, 'bit'>, value: any): Buffer => {
  if (type === 'octet') return Buffer.from([value])
  if (type === 'short') return createBytes(2, (bytes) => bytes.writeUInt16BE(value))
  if (type === 'long') return createBytes(4, (bytes) => bytes.writeUInt32BE(value))
  if (type === 'longlong') return createBytes(8, (bytes) => bytes.writeBigUInt64BE(BigInt(value)))
  if (type === 'shortstr') return toShortString(value)
  return type === 'longstr' ? toLongString(value) : toTable(value)
}

const DEFAULTS: Record<FieldType, unknown> = {
  octet: 0,
  short: 0,
  long: 0,
  longlong: 0,
  shortstr: '',
  longstr: '',
  bit: false,
  table: {},
}

/** Encodes the values in order; a missing value becomes zero or empty. */
export const toFields = (types: readonly (readonly [string, FieldType])[], values: Table): Buffer => {
  const parts: Buffer[] = []
  let bits: boolean[] = []
  const flush = () => {
    if (bits.length > 0)
      parts.push(Buffer.from([bits.reduce((sum, bit, index) => sum | (bit ? 1 << index : 0), 0)]))
    bits = []
  }
  for (const [name, type] of types) {
    const value = values[name] ?? DEFAULTS[type]
    if (type === 'bit') {
      if (bits.length === 8) flush()
      bits.push(Boolean(value))
    } else {
      flush()
      parts.push(toField(type, value))
    }
  }
  flush()
  return Buffer.concat(parts)
}

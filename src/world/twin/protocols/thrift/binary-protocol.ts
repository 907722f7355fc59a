/**
 * The part of Thrift's binary protocol that calls need: message headers, and structs of maps, strings and
 * numbers.
 */

export const MESSAGE = { call: 1, reply: 2, exception: 3, oneWay: 4 } as const

const VALUE_TYPE = {
  stop: 0,
  bool: 2,
  byte: 3,
  double: 4,
  i16: 6,
  i32: 8,
  i64: 10,
  text: 11,
  struct: 12,
  map: 13,
  set: 14,
  list: 15,
} as const

/** The version of the strict encoding. */
const VERSION = 0x80010000

export type ThriftValue = string | number | ReadonlyMap<string, string>

export interface ThriftMessage {
  readonly type: number
  readonly name: string
  readonly sequence: number
  /** Strings, 32-bit numbers and maps of strings by field id; other fields are skipped. */
  readonly fields: ReadonlyMap<number, ThriftValue>
}

const i16 = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(2)
  bytes.writeInt16BE(value)
  return bytes
}

const i32 = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeInt32BE(value | 0)
  return bytes
}

const encodeText = (text: string): Buffer[] => {
  const bytes = Buffer.from(text)
  return [i32(bytes.length), bytes]
}

const encodeValue = (value: ThriftValue): { readonly type: number; readonly parts: Buffer[] } => {
  if (typeof value === 'string') return { type: VALUE_TYPE.text, parts: encodeText(value) }
  if (typeof value === 'number') return { type: VALUE_TYPE.i32, parts: [i32(value)] }
  const head = [Buffer.from([VALUE_TYPE.text, VALUE_TYPE.text]), i32(value.size)]
  return {
    type: VALUE_TYPE.map,
    parts: head.concat([...value].flatMap(([key, text]) => [...encodeText(key), ...encodeText(text)])),
  }
}

/** Encodes a message with its length, for the framed transport. */
export const toThriftFrame = ({ type, name, sequence, fields }: ThriftMessage): Buffer => {
  const parts = [i32(VERSION | type), ...encodeText(name), i32(sequence)]
  for (const [id, value] of fields) {
    const encoded = encodeValue(value)
    parts.push(Buffer.from([encoded.type]), i16(id), ...encoded.parts)
  }
  parts.push(Buffer.from([VALUE_TYPE.stop]))
  const body = Buffer.concat(parts)
  return Buffer.concat([i32(body.length), body])
}

class Reader {
  private offset = 0
  private readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  byte(): number {
    this.offset += 1
    return this.bytes.readUInt8(this.offset - 1)
  }

  i16(): number {
    this.offset += 2
    return this.bytes.readInt16BE(this.offset - 2)
  }

  i32(): number {
    this.offset += 4
    return this.bytes.readInt32BE(this.offset - 4)
  }

  text(): string {
    const length = this.i32()
    this.advance(length)
    return this.bytes.toString('utf8', this.offset - length, this.offset)
  }

  advance(length: number): void {
    this.offset += length
    if (length < 0 || this.offset > this.bytes.length) throw new Error('the message is truncated')
  }

  skip(type: number): void {
    if (type === VALUE_TYPE.bool || type === VALUE_TYPE.byte) this.advance(1)
    else if (type === VALUE_TYPE.i16) this.advance(2)
    else if (type === VALUE_TYPE.i32) this.advance(4)
    else if (type === VALUE_TYPE.double || type === VALUE_TYPE.i64) this.advance(8)
    else if (type === VALUE_TYPE.text) this.text()
    else if (type === VALUE_TYPE.struct)
      for (let fieldType = this.byte(); fieldType !== VALUE_TYPE.stop; fieldType = this.byte())
        this.skipField(fieldType)
    else if (type === VALUE_TYPE.map) this.skipAll([this.byte(), this.byte()])
    else if (type === VALUE_TYPE.set || type === VALUE_TYPE.list) this.skipAll([this.byte()])
    else throw new Error(`unknown type ${type}`)
  }

  private skipField(type: number): void {
    this.advance(2)
    this.skip(type)
  }

  private skipAll(types: readonly number[]): void {
    const size = this.i32()
    for (let count = 0; count < size; count++) for (const type of types) this.skip(type)
  }

  /** Returns undefined if keys or values are not strings. */
  map(): ReadonlyMap<string, string> | undefined {
    const types = [this.byte(), this.byte()]
    const size = this.i32()
    const entries = new Map<string, string>()
    const isTextMap = types.every((type) => type === VALUE_TYPE.text)
    for (let count = 0; count < size; count++)
      if (isTextMap) entries.set(this.text(), this.text())
      else for (const type of types) this.skip(type)
    return isTextMap ? entries : undefined
  }
}

const readFields = (reader: Reader): ReadonlyMap<number, ThriftValue> => {
  const fields = new Map<number, ThriftValue>()
  for (let type = reader.byte(); type !== VALUE_TYPE.stop; type = reader.byte()) {
    const id = reader.i16()
    if (type === VALUE_TYPE.text) fields.set(id, reader.text())
    else if (type === VALUE_TYPE.i32) fields.set(id, reader.i32())
    else if (type === VALUE_TYPE.map) {
      const map = reader.map()
      if (map) fields.set(id, map)
    } else reader.skip(type)
  }
  return fields
}

/** Parses the content of a frame. Throws if it is not a message in the strict encoding. */
export const parseThriftMessage = (frame: Buffer): ThriftMessage => {
  const reader = new Reader(frame)
  const head = reader.i32()
  if ((head & 0xffff0000) !== (VERSION | 0)) throw new Error('no version in the message: old client?')
  const name = reader.text()
  const sequence = reader.i32()
  return { type: head & 0xff, name, sequence, fields: readFields(reader) }
}

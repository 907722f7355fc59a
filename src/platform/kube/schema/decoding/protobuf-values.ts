/** Decodes scalar protobuf values to their JSON form. */
import type { Reader } from 'protobufjs'
import { DecodeFailure } from './decode-failure.ts'

/** Calls `visit` for each field of the message that ends at `end`. Skips a field that `visit` does not read. */
export const eachField = (
  reader: Reader,
  end: number,
  visit: (number: number, wire: number) => void,
): void => {
  while (reader.pos < end) {
    const tag = reader.uint32()
    const start = reader.pos
    visit(tag >>> 3, tag & 7)
    if (reader.pos === start) reader.skipType(tag & 7)
  }
  if (reader.pos !== end) throw new DecodeFailure('unexpected EOF')
}

/** Reads a length and returns the end of the value that follows. */
export const lengthEnd = (reader: Reader): number => {
  const end = reader.uint32() + reader.pos
  if (end > reader.len) throw new DecodeFailure('unexpected EOF')
  return end
}

const MAX_UNIX_SECONDS = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000

const readTime = (reader: Reader, microseconds: boolean): string | undefined => {
  const end = lengthEnd(reader)
  if (end === reader.pos) return undefined
  let seconds = 0
  let nanos = 0
  eachField(reader, end, (number) => {
    if (number === 1) seconds = Number(String(reader.int64()))
    else if (number === 2) nanos = reader.int32()
  })
  if (Math.abs(seconds) > MAX_UNIX_SECONDS)
    throw new DecodeFailure('Time.MarshalJSON: year outside of range [0,9999]')
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
  return microseconds ? `${whole}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z` : `${whole}Z`
}

/** Reads a message whose only field is number 1. */
const readWrapped = <T>(reader: Reader, empty: T, read: () => T): T => {
  let value = empty
  eachField(reader, lengthEnd(reader), (number) => {
    if (number === 1) value = read()
  })
  return value
}

const readIntOrString = (reader: Reader): string | number => {
  let isText = false
  let integer = 0
  let text = ''
  eachField(reader, lengthEnd(reader), (number) => {
    if (number === 1) isText = reader.uint32() === 1
    else if (number === 2) integer = reader.int32()
    else if (number === 3) text = reader.string()
  })
  return isText ? text : integer
}

const readJson = (reader: Reader): unknown => {
  const text = readWrapped(reader, '', () => Buffer.from(reader.bytes()).toString())
  return text === '' ? undefined : JSON.parse(text)
}

const READERS: Readonly<Record<string, (reader: Reader) => unknown>> = {
  string: (reader) => reader.string(),
  bool: (reader) => reader.bool(),
  int32: (reader) => reader.int32(),
  int64: (reader) => Number(String(reader.int64())),
  double: (reader) => reader.double(),
  byte: (reader) => Buffer.from(reader.bytes()).toString('base64'),
  time: (reader) => readTime(reader, false),
  'micro-time': (reader) => readTime(reader, true),
  duration: (reader) => `${readWrapped(reader, 0, () => Number(String(reader.int64()))) / 1e9}s`,
  quantity: (reader) => readWrapped(reader, '0', () => reader.string()),
  'int-or-string': readIntOrString,
  raw: readJson,
  fields: readJson,
  json: readJson,
}

/** Returns the reader of a scalar type; undefined for message types. */
export const valueReader = (type: string): ((reader: Reader) => unknown) | undefined => READERS[type]

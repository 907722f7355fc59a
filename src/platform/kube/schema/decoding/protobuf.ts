/** Decodes protobuf request bodies, which newer versions of kubectl send, to JSON objects. */
import { createRequire } from 'node:module'
import type { Reader } from 'protobufjs'
import { setMember } from '#kit'
import { ApiError, badRequest } from '#platform/kube/meta'
import { shortNameOf } from '../definition-data.ts'
import { schemaOf } from '../definitions.ts'
import type { GroupVersionKind } from '../schema.ts'
import { decodeError } from './decode-error.ts'
import { DecodeFailure } from './decode-failure.ts'
import { decodeObject } from './decode-object.ts'
import type { Fields } from './json-value.ts'
import { type ProtobufField, type ProtobufPlan, protobufPlan } from './protobuf-plan.ts'
import { eachField, lengthEnd, valueReader } from './protobuf-values.ts'

/** The magic number of every protobuf body: `k8s` and a zero byte. */
const PREFIX = Buffer.from([0x6b, 0x38, 0x73, 0])
const LENGTH_DELIMITED = 2

let library: typeof import('protobufjs') | undefined

/** Loads the library on the first protobuf body. Most processes receive none. */
const readerOf = (bytes: Uint8Array): Reader => {
  library ??= createRequire(import.meta.url)('protobufjs/minimal.js') as typeof import('protobufjs')
  return library.Reader.create(bytes)
}

/** Decodes the three types that hold a schema or a simpler value. */
const readSchemaChoice = (type: string, reader: Reader): unknown => {
  let chosen: unknown = type === 'schema-or-bool' ? false : []
  eachField(reader, lengthEnd(reader), (number) => {
    const isSchema = number === (type === 'schema-or-bool' ? 2 : 1)
    if (isSchema) chosen = readValue('apiextensions.v1.JSONSchemaProps', reader)
    else if (type === 'schema-or-bool') chosen = reader.bool()
    else {
      const item =
        type === 'schema-or-strings' ? reader.string() : readValue('apiextensions.v1.JSONSchemaProps', reader)
      chosen = [...(Array.isArray(chosen) ? chosen : []), item]
    }
  })
  return chosen
}

/** Decodes a list in a map value, which protobuf wraps in a message. */
const readWrappedList = (elementType: string, reader: Reader): unknown[] => {
  const items: unknown[] = []
  eachField(reader, lengthEnd(reader), (number) => {
    if (number === 1) items.push(readValue(elementType, reader))
  })
  return items
}

const readValue = (type: string, reader: Reader): unknown => {
  const read = valueReader(type)
  if (read !== undefined) return read(reader)
  if (type.startsWith('[]')) return readWrappedList(type.slice(2), reader)
  if (type.startsWith('schema-or-')) return readSchemaChoice(type, reader)
  const fields: Fields = {}
  readMessage(protobufPlan(type), reader, lengthEnd(reader), fields)
  return fields
}

const readMapEntry = (valueType: string, reader: Reader, map: Fields): void => {
  let key = ''
  let value: unknown
  eachField(reader, lengthEnd(reader), (number) => {
    if (number === 1) key = reader.string()
    else if (number === 2) value = readValue(valueType, reader)
  })
  setMember<unknown>(map, key, value ?? null)
}

const readField = ({ name, type }: ProtobufField, wire: number, reader: Reader, fields: Fields): void => {
  if (type.shape === 'one') {
    fields[name] = readValue(type.elementType, reader)
  } else if (type.shape === 'map') {
    fields[name] ??= {}
    readMapEntry(type.elementType, reader, fields[name] as Fields)
  } else {
    fields[name] ??= []
    const list = fields[name] as unknown[]
    const packed =
      wire === LENGTH_DELIMITED &&
      (type.elementType === 'int32' || type.elementType === 'int64' || type.elementType === 'bool')
    const end = packed ? lengthEnd(reader) : reader.pos + 1
    while (reader.pos < end) list.push(readValue(type.elementType, reader))
  }
}

const readMessage = (plan: ProtobufPlan, reader: Reader, end: number, fields: Fields): void => {
  eachField(reader, end, (number, wire) => {
    const target = plan.get(number)
    if (target === undefined) return
    if (target instanceof Map) readMessage(target, reader, lengthEnd(reader), fields)
    else readField(target as ProtobufField, wire, reader, fields)
  })
}

interface Envelope {
  apiVersion: string
  kind: string
  raw: Uint8Array
}

const readEnvelope = (bytes: Uint8Array): Envelope => {
  const reader = readerOf(bytes)
  const envelope: Envelope = { apiVersion: '', kind: '', raw: new Uint8Array() }
  reader.pos = PREFIX.length
  eachField(reader, reader.len, (number) => {
    if (number === 2) envelope.raw = reader.bytes()
    if (number !== 1) return
    eachField(reader, lengthEnd(reader), (inner) => {
      if (inner === 1) envelope.apiVersion = reader.string()
      else if (inner === 2) envelope.kind = reader.string()
    })
  })
  return envelope
}

const gvkOf = ({ apiVersion, kind }: Envelope): GroupVersionKind => {
  const slash = apiVersion.indexOf('/')
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1), kind }
}

/** Reads untrusted bytes. Any failure becomes the ApiError that `refuse` returns. */
const readUntrusted = <T>(read: () => T, refuse: (detail: string) => ApiError): T => {
  try {
    return read()
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw refuse(error instanceof DecodeFailure ? error.message : 'unexpected EOF')
  }
}

/** Decodes a request body. Throws ApiError 400 for malformed bytes and unknown types. */
export const decodeProtobuf = (
  bytes: Uint8Array,
): { apiVersion: string; kind: string; [field: string]: unknown } => {
  if (!PREFIX.equals(bytes.subarray(0, PREFIX.length))) {
    throw badRequest(
      `provided data does not appear to be a protobuf message, expected prefix [${PREFIX.join(' ')}]`,
    )
  }
  const envelope = readUntrusted(() => readEnvelope(bytes), badRequest)
  const gvk = gvkOf(envelope)
  const [short, schema] = [shortNameOf(gvk), schemaOf(gvk)]
  if (short === undefined || schema === undefined) {
    throw badRequest(
      `no kind "${gvk.kind}" is registered for version "${envelope.apiVersion}" in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    )
  }
  const fields: Fields = {}
  readUntrusted(
    () => readMessage(protobufPlan(short), readerOf(envelope.raw), envelope.raw.length, fields),
    (detail) => decodeError(gvk, detail),
  )
  const { object } = decodeObject(schema, fields, gvk)
  return { kind: envelope.kind, apiVersion: envelope.apiVersion, ...object }
}

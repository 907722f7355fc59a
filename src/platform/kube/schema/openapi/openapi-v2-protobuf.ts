/** Encodes an OpenAPI version 2 document as protobuf, for kubectl. */
import { createRequire } from 'node:module'
import type { Writer } from 'protobufjs'
import type { Json } from './openapi-schema.ts'

type Encode = (value: never, writer: Writer) => void
type Member = readonly [number: number, encode: Encode, repeated?: 'repeated']
type Message = Readonly<Record<string, Member>>

const VARINT = 0
const LENGTH_DELIMITED = 2

const text = (value: string, writer: Writer): void => {
  writer.string(value)
}
const flag = (value: boolean, writer: Writer): void => {
  writer.bool(value)
}

const writeField = (writer: Writer, number: number, encode: Encode, value: unknown): void => {
  writer.uint32((number << 3) | (encode === flag ? VARINT : LENGTH_DELIMITED))
  encode(value as never, writer)
}

/** Encodes a nested message, whose content `body` writes. */
const nested =
  <T>(body: (value: T, writer: Writer) => void) =>
  (value: T, writer: Writer): void => {
    writer.fork()
    body(value, writer)
    writer.ldelim()
  }

/** Encodes an arbitrary value as YAML text. JSON is valid YAML. */
const anyValue = nested((value: unknown, writer) => writeField(writer, 2, text, JSON.stringify(value)))

const writeExtensions = (value: Json, writer: Writer, number: number): void => {
  for (const [name, content] of Object.entries(value)) {
    if (name.startsWith('x-')) writeField(writer, number, named(anyValue), [name, content])
  }
}

/** Encodes a map entry: a message with name and value. */
function named(encode: Encode): Encode {
  return nested(([name, value]: [string, unknown], writer: Writer) => {
    writeField(writer, 1, text, name)
    writeField(writer, 2, encode, value)
  })
}

/** Encodes a JSON object: `members` maps its keys to field numbers; `x-` members are written at `extensionNumber`. */
const message = (members: () => Message, extensionNumber?: number): Encode =>
  nested((value: Json, writer) => {
    for (const [key, [number, encode, repeated]] of Object.entries(members())) {
      const content = value[key]
      if (content === undefined) continue
      for (const item of repeated ? (content as unknown[]) : [content])
        writeField(writer, number, encode, item)
    }
    if (extensionNumber !== undefined) writeExtensions(value, writer, extensionNumber)
  })

/** Encodes a map as a list of named values. */
const mapOf = (number: number, encode: Encode): Encode =>
  nested((value: Json, writer) => {
    for (const pair of Object.entries(value)) writeField(writer, number, named(encode), pair)
  })

/** Encodes a oneof: a message with a single member. */
const choice = (number: number, encode: Encode): Encode =>
  nested((value: unknown, writer) => writeField(writer, number, encode, value))

const schema: Encode = message(
  () => ({
    $ref: [1, text],
    format: [2, text],
    description: [4, text],
    default: [5, anyValue],
    pattern: [13, text],
    required: [19, text, 'repeated'],
    enum: [20, anyValue, 'repeated'],
    additionalProperties: [21, additionalProperties],
    type: [22, choice(1, text)],
    items: [23, choice(1, schema)],
    properties: [25, mapOf(1, schema)],
  }),
  31,
)

const additionalProperties: Encode = nested((value: unknown, writer) =>
  typeof value === 'boolean' ? writeField(writer, 2, flag, value) : writeField(writer, 1, schema, value),
)

const body = message(() => ({ name: [2, text], in: [3, text], required: [4, flag], schema: [5, schema] }))
const inQuery = message(() => ({ in: [2, text], name: [4, text], type: [6, text], uniqueItems: [20, flag] }))
const inPath = message(() => ({
  required: [1, flag],
  in: [2, text],
  name: [4, text],
  type: [5, text],
  uniqueItems: [19, flag],
}))

const LOCATIONS: Readonly<Record<string, Encode>> = {
  body: choice(1, body),
  query: choice(2, choice(3, inQuery)),
  path: choice(2, choice(4, inPath)),
}

const parameter: Encode = nested((value: Json, writer) =>
  writeField(writer, 1, LOCATIONS[String(value.in)]!, value),
)

const response = message(() => ({ description: [1, text], schema: [2, choice(1, schema)] }))

const operation = message(
  () => ({
    tags: [1, text, 'repeated'],
    operationId: [5, text],
    produces: [6, text, 'repeated'],
    consumes: [7, text, 'repeated'],
    parameters: [8, parameter, 'repeated'],
    responses: [9, mapOf(1, choice(1, response))],
    schemes: [10, text, 'repeated'],
  }),
  13,
)

const pathItem = message(() => ({
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  options: [6, operation],
  head: [7, operation],
  patch: [8, operation],
  parameters: [9, parameter, 'repeated'],
}))

const apiKey = message(() => ({ type: [1, text], name: [2, text], in: [3, text] }))

const DOCUMENT: Message = {
  swagger: [1, text],
  info: [2, message(() => ({ title: [1, text], version: [2, text] }))],
  paths: [8, mapOf(2, pathItem)],
  definitions: [9, mapOf(1, schema)],
  security: [
    12,
    mapOf(
      1,
      message(() => ({})),
    ),
    'repeated',
  ],
  securityDefinitions: [13, mapOf(1, choice(2, apiKey))],
}

export const encodeOpenApiV2 = (document: Json): Uint8Array => {
  const library = createRequire(import.meta.url)('protobufjs/minimal.js') as typeof import('protobufjs')
  const writer = library.Writer.create()
  for (const [key, [number, encode, repeated]] of Object.entries(DOCUMENT)) {
    const content = document[key]
    for (const item of repeated ? (content as unknown[]) : [content]) writeField(writer, number, encode, item)
  }
  return writer.finish()
}

/** Thrift messages between simulated programs. */
import type { ProgramMessage } from '#spec'
import type { Headers } from '#world/twin/ports'
import { copyAsJson } from '../wire/copy-as-json.ts'

export class ThriftRequest {
  readonly name: string
  readonly headers: Headers
  readonly message: unknown

  constructor(name: string, headers: Headers, message: unknown) {
    this.name = name
    this.headers = headers
    this.message = message
  }
}

export class ThriftReply {
  readonly message: unknown

  constructor(message: unknown) {
    this.message = message
  }
}

export class ThriftException {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The head of a message and its fields in the binary protocol. */
const HEAD_BYTES = 40
const HEADER_BYTES = 8

export const toRequestMessage = (name: string, headers: Headers, body: unknown): ProgramMessage => {
  const { value, bytes } = copyAsJson(body)
  let size = HEAD_BYTES + name.length + bytes
  for (const header in headers) size += header.length + headers[header]!.length + HEADER_BYTES
  return { content: new ThriftRequest(name, headers, value), bytes: size }
}

export const toReplyMessage = (body: unknown): ProgramMessage => {
  const { value, bytes } = copyAsJson(body)
  return { content: new ThriftReply(value), bytes: HEAD_BYTES + bytes }
}

export const toExceptionMessage = (text: string): ProgramMessage => ({
  content: new ThriftException(text),
  bytes: HEAD_BYTES + text.length,
})

/** Messages of the MongoDB wire: OP_MSG, and OP_QUERY with OP_REPLY, by which old drivers say hello. */
import { type Document, parseBson, toBson } from './bson.ts'

const OP_REPLY = 1
const OP_QUERY = 2004
const OP_MSG = 2013
const HEADER = 16
const MOST_BYTES = 48_000_000

const CHECKSUM_PRESENT = 1
const MORE_TO_COME = 2

export interface WireMessage {
  readonly requestId: number
  readonly responseTo: number
  /** The command or the reply, with its `$db`. */
  readonly body: Document
  /** It must be answered in the old way. */
  readonly legacy: boolean
  /** Nobody waits for an answer. */
  readonly unanswered: boolean
}

const parseSections = (bytes: Buffer, at: number, end: number): Document => {
  let body: Document = {}
  const sequences: Document = {}
  let position = at
  while (position < end) {
    const kind = bytes[position]
    const start = position + 1
    const size = bytes.readInt32LE(start)
    if (size < 5 || start + size > end) throw new Error(`a section of ${size} bytes cannot be`)
    if (kind === 0) body = parseBson(bytes, start)
    else if (kind === 1) {
      const name = bytes.indexOf(0, start + 4)
      if (name < 0) throw new Error('a section has no name')
      const documents: Document[] = []
      for (let next = name + 1; next < start + size; next += bytes.readInt32LE(next))
        documents.push(parseBson(bytes, next))
      sequences[bytes.toString('utf8', start + 4, name)] = documents
    } else throw new Error(`a section of kind ${kind} is not known`)
    position = start + size
  }
  return { ...body, ...sequences }
}

/** `admin.$cmd` and the flags come before the command. */
const parseQuery = (bytes: Buffer): Document => {
  const name = bytes.indexOf(0, HEADER + 4)
  const [database] = bytes.toString('utf8', HEADER + 4, name).split('.')
  const query = parseBson(bytes, name + 1 + 8)
  return { ...(query.$query ?? query), $db: database }
}

const parseMessage = (bytes: Buffer): WireMessage => {
  const requestId = bytes.readInt32LE(4)
  const responseTo = bytes.readInt32LE(8)
  const code = bytes.readInt32LE(12)
  if (code === OP_MSG) {
    const flags = bytes.readUInt32LE(HEADER)
    const end = bytes.length - (flags & CHECKSUM_PRESENT ? 4 : 0)
    const body = parseSections(bytes, HEADER + 4, end)
    return { requestId, responseTo, body, legacy: false, unanswered: (flags & MORE_TO_COME) !== 0 }
  }
  if (code === OP_QUERY)
    return { requestId, responseTo, body: parseQuery(bytes), legacy: true, unanswered: false }
  if (code === OP_REPLY)
    return { requestId, responseTo, body: parseBson(bytes, HEADER + 20), legacy: true, unanswered: false }
  throw new Error(`messages of kind ${code} are not known`)
}

/** Takes bytes as they come and gives messages as they are whole. Throws where it is no message. */
export const createMessageReader = () => {
  let rest: Buffer[] = []
  let length = 0
  return (chunk: Buffer): WireMessage[] => {
    rest.push(chunk)
    length += chunk.length
    const messages: WireMessage[] = []
    while (length >= HEADER) {
      if (rest[0]!.length < 4) rest = [Buffer.concat(rest)]
      const size = rest[0]!.readInt32LE(0)
      if (size < HEADER || size > MOST_BYTES) throw new Error(`a message of ${size} bytes cannot be`)
      if (length < size) break
      const bytes = rest.length > 1 ? Buffer.concat(rest) : rest[0]!
      messages.push(parseMessage(bytes.subarray(0, size)))
      rest = bytes.length > size ? [bytes.subarray(size)] : []
      length -= size
    }
    return messages
  }
}

const withHeader = (
  code: number,
  requestId: number,
  responseTo: number,
  parts: readonly Buffer[],
): Buffer => {
  const header = Buffer.alloc(HEADER)
  header.writeInt32LE(
    parts.reduce((sum, part) => sum + part.length, HEADER),
    0,
  )
  header.writeInt32LE(requestId, 4)
  header.writeInt32LE(responseTo, 8)
  header.writeInt32LE(code, 12)
  return Buffer.concat([header, ...parts])
}

/** No flags, then the one section of kind 0. */
const MESSAGE_PREFIX = Buffer.alloc(5)

export const toMessage = (requestId: number, responseTo: number, body: Document): Buffer =>
  withHeader(OP_MSG, requestId, responseTo, [MESSAGE_PREFIX, toBson(body)])

/** Flags, cursor, where it starts, and that there is one document. */
export const toLegacyReply = (requestId: number, responseTo: number, body: Document): Buffer => {
  const prefix = Buffer.alloc(20)
  prefix.writeInt32LE(8, 0)
  prefix.writeInt32LE(1, 16)
  return withHeader(OP_REPLY, requestId, responseTo, [prefix, toBson(body)])
}

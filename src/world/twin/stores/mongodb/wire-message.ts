/**
 * Messages of the MongoDB wire protocol: OP_MSG, and OP_QUERY with OP_REPLY for the handshake of old drivers.
 */
import { type Document, parseBson, toBson } from './bson.ts'

const OP_REPLY = 1
const OP_QUERY = 2004
const OP_MSG = 2013
const HEADER_BYTES = 16
const MAX_MESSAGE_BYTES = 48_000_000

const CHECKSUM_PRESENT = 1
const MORE_TO_COME = 2

export interface WireMessage {
  readonly requestId: number
  readonly responseTo: number
  /** The command or the reply, with its `$db`. */
  readonly body: Document
  /** Whether the reply must be an OP_REPLY. */
  readonly isLegacy: boolean
  readonly expectsNoReply: boolean
}

const parseSections = (bytes: Buffer, from: number, end: number): Document => {
  let body: Document = {}
  const sequences: Document = {}
  let position = from
  while (position < end) {
    const kind = bytes[position]
    const start = position + 1
    const size = bytes.readInt32LE(start)
    if (size < 5 || start + size > end) throw new Error(`invalid section size: ${size} bytes`)
    if (kind === 0) body = parseBson(bytes, start)
    else if (kind === 1) {
      const nameEnd = bytes.indexOf(0, start + 4)
      if (nameEnd < 0) throw new Error('a section has no name')
      const documents: Document[] = []
      for (let next = nameEnd + 1; next < start + size; next += bytes.readInt32LE(next))
        documents.push(parseBson(bytes, next))
      sequences[bytes.toString('utf8', start + 4, nameEnd)] = documents
    } else throw new Error(`unknown section kind ${kind}`)
    position = start + size
  }
  return { ...body, ...sequences }
}

/** The flags and `admin.$cmd` precede the command. */
const parseQuery = (bytes: Buffer): Document => {
  const nameEnd = bytes.indexOf(0, HEADER_BYTES + 4)
  const [database] = bytes.toString('utf8', HEADER_BYTES + 4, nameEnd).split('.')
  const query = parseBson(bytes, nameEnd + 1 + 8)
  return { ...(query.$query ?? query), $db: database }
}

const parseMessage = (bytes: Buffer): WireMessage => {
  const requestId = bytes.readInt32LE(4)
  const responseTo = bytes.readInt32LE(8)
  const code = bytes.readInt32LE(12)
  if (code === OP_MSG) {
    const flags = bytes.readUInt32LE(HEADER_BYTES)
    const end = bytes.length - (flags & CHECKSUM_PRESENT ? 4 : 0)
    const body = parseSections(bytes, HEADER_BYTES + 4, end)
    return { requestId, responseTo, body, isLegacy: false, expectsNoReply: (flags & MORE_TO_COME) !== 0 }
  }
  if (code === OP_QUERY)
    return { requestId, responseTo, body: parseQuery(bytes), isLegacy: true, expectsNoReply: false }
  if (code === OP_REPLY)
    return {
      requestId,
      responseTo,
      body: parseBson(bytes, HEADER_BYTES + 20),
      isLegacy: true,
      expectsNoReply: false,
    }
  throw new Error(`unknown message kind ${code}`)
}

/** Assembles messages from a byte stream. Throws if the input is malformed. */
export const createMessageReader = () => {
  let rest: Buffer[] = []
  let length = 0
  return (chunk: Buffer): WireMessage[] => {
    rest.push(chunk)
    length += chunk.length
    const messages: WireMessage[] = []
    while (length >= HEADER_BYTES) {
      if (rest[0]!.length < 4) rest = [Buffer.concat(rest)]
      const size = rest[0]!.readInt32LE(0)
      if (size < HEADER_BYTES || size > MAX_MESSAGE_BYTES)
        throw new Error(`invalid message size: ${size} bytes`)
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
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeInt32LE(
    parts.reduce((sum, part) => sum + part.length, HEADER_BYTES),
    0,
  )
  header.writeInt32LE(requestId, 4)
  header.writeInt32LE(responseTo, 8)
  header.writeInt32LE(code, 12)
  return Buffer.concat([header, ...parts])
}

/** Contains the flags (none) and the kind of the section (0). */
const MESSAGE_PREFIX = Buffer.alloc(5)

export const toMessage = (requestId: number, responseTo: number, body: Document): Buffer =>
  withHeader(OP_MSG, requestId, responseTo, [MESSAGE_PREFIX, toBson(body)])

/** The prefix contains the flags, cursor id, starting position, and number of documents (1). */
export const toLegacyReply = (requestId: number, responseTo: number, body: Document): Buffer => {
  const prefix = Buffer.alloc(20)
  prefix.writeInt32LE(8, 0)
  prefix.writeInt32LE(1, 16)
  return withHeader(OP_REPLY, requestId, responseTo, [prefix, toBson(body)])
}

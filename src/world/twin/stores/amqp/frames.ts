/** Frames of AMQP 0-9-1, and the messages that span several frames. */
import type { Table } from './field-codec.ts'
import {
  type ContentHeader,
  type Method,
  type MethodName,
  parseContentHeader,
  parseMethod,
  toContentHeader,
  toMethod,
} from './methods.ts'

export const PROTOCOL_HEADER = Buffer.from('AMQP\0\0\x09\x01', 'latin1')

/** Maximum size of a frame, including its header and end byte. */
export const FRAME_MAX = 131_072

/** Limits the incomplete contents on all channels of a connection. */
const MAX_UNFINISHED_BYTES = 134_217_728

const METHOD = 1
const HEADER = 2
const BODY = 3
const HEARTBEAT = 8
const FRAME_END = 0xce

export interface Content {
  readonly properties: Table
  readonly body: Buffer
}

/** A method with its content, if any; without `method` it is a heartbeat. */
export interface Incoming {
  readonly channel: number
  readonly method?: Method
  readonly content?: Content
}

const METHODS_WITH_CONTENT: readonly MethodName[] = [
  'basic.publish',
  'basic.deliver',
  'basic.get-ok',
  'basic.return',
]

interface Unfinished {
  readonly method: Method
  header?: ContentHeader
  readonly parts: Buffer[]
  size: number
}

/** Assembles methods from a byte stream. Throws if the input is not AMQP. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)
  readonly #unfinished = new Map<number, Unfinished>()
  #unfinishedBytes = 0

  push(chunk: Buffer): Incoming[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const messages: Incoming[] = []
    while (this.#rest.length >= 8) {
      const size = this.#rest.readUInt32BE(3)
      if (size > FRAME_MAX) throw new Error(`AMQP: a frame of ${size} bytes is too large`)
      if (this.#rest.length < size + 8) break
      if (this.#rest[size + 7] !== FRAME_END) throw new Error('AMQP: a frame has no end byte')
      const [type, channel] = [this.#rest[0]!, this.#rest.readUInt16BE(1)]
      const incoming = this.#processFrame(type, channel, this.#rest.subarray(7, size + 7))
      this.#rest = this.#rest.subarray(size + 8)
      if (incoming) messages.push(incoming)
    }
    return messages
  }

  #processFrame(type: number, channel: number, payload: Buffer): Incoming | undefined {
    if (type === HEARTBEAT) return { channel }
    if (type === METHOD) {
      const method = parseMethod(payload)
      if (!METHODS_WITH_CONTENT.includes(method.name)) return { channel, method }
      if (this.#unfinished.has(channel)) throw new Error('AMQP: the previous content is incomplete')
      this.#unfinished.set(channel, { method, parts: [], size: 0 })
      return
    }
    const unfinished = this.#unfinished.get(channel)
    if (!unfinished || (type !== HEADER && type !== BODY))
      throw new Error(`AMQP: unexpected frame of type ${type}`)
    if (type === HEADER) unfinished.header = parseContentHeader(payload)
    else this.#appendBody(unfinished, payload)
    if (!unfinished.header || unfinished.size < unfinished.header.bodySize) return
    this.#unfinished.delete(channel)
    this.#unfinishedBytes -= unfinished.size
    const content = { properties: unfinished.header.properties, body: Buffer.concat(unfinished.parts) }
    return { channel, method: unfinished.method, content }
  }

  #appendBody(unfinished: Unfinished, payload: Buffer): void {
    if (!unfinished.header || unfinished.size + payload.length > unfinished.header.bodySize)
      throw new Error('AMQP: a body is longer than its header declares')
    if (this.#unfinishedBytes + payload.length > MAX_UNFINISHED_BYTES)
      throw new Error('AMQP: a message is too large')
    unfinished.parts.push(Buffer.from(payload))
    unfinished.size += payload.length
    this.#unfinishedBytes += payload.length
  }
}

const toFrame = (type: number, channel: number, payload: Buffer): Buffer => {
  const frame = Buffer.alloc(payload.length + 8)
  frame[0] = type
  frame.writeUInt16BE(channel, 1)
  frame.writeUInt32BE(payload.length, 3)
  payload.copy(frame, 7)
  frame[payload.length + 7] = FRAME_END
  return frame
}

export const HEARTBEAT_FRAME = toFrame(HEARTBEAT, 0, Buffer.alloc(0))

/** Encodes a method and its content. */
export const toFrames = (
  channel: number,
  name: MethodName,
  values: Table = {},
  content?: Content,
): Buffer => {
  const frames = [toFrame(METHOD, channel, toMethod(name, values))]
  if (content) {
    const { properties, body } = content
    frames.push(toFrame(HEADER, channel, toContentHeader({ bodySize: body.length, properties })))
    for (let offset = 0; offset < body.length; offset += FRAME_MAX - 8)
      frames.push(toFrame(BODY, channel, body.subarray(offset, offset + FRAME_MAX - 8)))
  }
  return Buffer.concat(frames)
}

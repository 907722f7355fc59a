/** A small SPDY/3.1 client for tests; it compresses like real clients and can send invalid frames. */
import type { Duplex } from 'node:stream'
import { constants, deflateRawSync, deflateSync } from 'node:zlib'
import { SPDY_DICTIONARY } from '../spdy/dictionary.ts'
import { createFrameParser } from '../spdy/frame-parser.ts'
import { controlFrame, dataFrame, FRAME } from '../spdy/frames.ts'

export interface ClientStream {
  readonly id: number
  send(data: string | Buffer): void
  end(): void
  reset(): void
  /** The data received so far. */
  received(): Buffer
  /** Resolves with all data once the server has ended or reset the stream. */
  readonly all: Promise<Buffer>
  readonly state: { replied: boolean; reset: boolean; ended: boolean }
}

export interface SpdyClient {
  open(headers: Record<string, string>): ClientStream
  send(frame: Buffer): void
  /** The control frames in order, without the replies and resets of this client's streams. */
  readonly controls: { type: number; payload: Buffer }[]
  readonly closed: Promise<void>
}

const plainHeaders = (headers: Record<string, string>): Buffer => {
  const uint32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value, 0)
    return bytes
  }
  const texts = Object.entries(headers).flat()
  return Buffer.concat([
    uint32(texts.length / 2),
    ...texts.flatMap((text) => [uint32(Buffer.byteLength(text)), Buffer.from(text)]),
  ])
}

/** Compresses blocks as one zlib stream with a sync flush after each. */
const createCompressor = (): ((headers: Record<string, string>) => Buffer) => {
  let history = SPDY_DICTIONARY
  return (headers) => {
    const plain = plainHeaders(headers)
    const compress = history === SPDY_DICTIONARY ? deflateSync : deflateRawSync
    const block = compress(plain, { dictionary: history, finishFlush: constants.Z_SYNC_FLUSH })
    history = Buffer.concat([history, plain])
    return block
  }
}

interface Entry {
  stream: ClientStream
  chunks: Buffer[]
  finish(): void
}

export const createSpdyClient = (transport: Duplex): SpdyClient => {
  const compress = createCompressor()
  const entries = new Map<number, Entry>()
  const controls: { type: number; payload: Buffer }[] = []
  let nextId = 1

  const parse = createFrameParser({
    control(type, _flags, payload) {
      const entry = entries.get(payload.readUInt32BE(0))
      if (entry !== undefined && type === FRAME.synReply) entry.stream.state.replied = true
      else if (entry !== undefined && type === FRAME.rstStream) {
        entry.stream.state.reset = true
        entry.finish()
      } else controls.push({ type, payload: Buffer.from(payload) })
    },
    data(streamId, piece, fin) {
      const entry = entries.get(streamId)
      entry?.chunks.push(Buffer.from(piece))
      if (fin) {
        entry!.stream.state.ended = true
        entry!.finish()
      }
    },
  })
  transport.on('data', parse)
  transport.on('error', () => {})

  return {
    controls,
    closed: new Promise((resolve) => {
      transport.on('close', resolve)
      transport.on('end', () => transport.end())
    }),
    send: (frame) => {
      transport.write(frame)
    },
    open(headers) {
      const id = nextId
      nextId += 2
      const chunks: Buffer[] = []
      const { promise, resolve } = Promise.withResolvers<Buffer>()
      const stream: ClientStream = {
        id,
        state: { replied: false, reset: false, ended: false },
        all: promise,
        received: () => Buffer.concat(chunks),
        send: (data) => transport.write(dataFrame(id, Buffer.from(data), false)),
        end: () => transport.write(dataFrame(id, Buffer.alloc(0), true)),
        reset: () => transport.write(controlFrame(FRAME.rstStream, [id, 5])),
      }
      entries.set(id, { stream, chunks, finish: () => resolve(Buffer.concat(chunks)) })
      const priorityAndSlot = Buffer.alloc(2)
      const rest = Buffer.concat([priorityAndSlot, compress(headers)])
      transport.write(controlFrame(FRAME.synStream, [id, 0], rest))
      return stream
    },
  }
}

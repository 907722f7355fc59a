/** Packets of the MySQL protocol, and the numbers and strings in them. */
import type { Socket } from 'node:net'

export const CAPABILITY = {
  longPassword: 1,
  foundRows: 2,
  connectWithDatabase: 8,
  protocol41: 0x200,
  transactions: 0x2000,
  secureConnection: 0x8000,
  multiStatements: 0x1_0000,
  multiResults: 0x2_0000,
  pluginAuth: 0x8_0000,
  connectAttributes: 0x10_0000,
  authLengthEncoded: 0x20_0000,
}

/** utf8mb4. */
export const CHARSET = 45

export const COMMAND = {
  quit: 1,
  useDatabase: 2,
  query: 3,
  statistics: 9,
  ping: 14,
  prepare: 22,
  execute: 23,
  closeStatement: 25,
  resetStatement: 26,
  setOption: 27,
  followLog: 30,
  resetConnection: 31,
}

export const COLUMN = {
  double: 5,
  longLong: 8,
  date: 10,
  dateTime: 12,
  json: 245,
  decimal: 246,
  blob: 252,
  text: 253,
}

/** A packet of this size continues in the next one. */
const MAX_PAYLOAD_BYTES = 0xffffff

/** Splits a byte stream into packets. */
export class PacketReader {
  /** Maximum size of a packet in bytes. */
  maxBytes = Number.POSITIVE_INFINITY
  #chunks: Buffer[] = []
  #bufferedBytes = 0
  /** Number of bytes needed before the input is parsed again. */
  #neededBytes = 4
  #parts: Buffer[] = []
  #size = 0

  /** Returns the complete packets with their sequence numbers. Throws if one is too large. */
  push(chunk: Buffer): { readonly payload: Buffer; readonly sequence: number }[] {
    this.#chunks.push(chunk)
    this.#bufferedBytes += chunk.length
    if (this.#bufferedBytes < this.#neededBytes) return []
    const packets: { readonly payload: Buffer; readonly sequence: number }[] = []
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    for (this.#neededBytes = 4; rest.length >= this.#neededBytes; this.#neededBytes = 4) {
      const length = rest.readUIntLE(0, 3)
      if (this.#size + length > this.maxBytes)
        throw new RangeError(`a packet has more than ${this.maxBytes} bytes`)
      this.#neededBytes = 4 + length
      if (rest.length < this.#neededBytes) break
      const sequence = rest[3]!
      this.#parts.push(rest.subarray(4, this.#neededBytes))
      this.#size += length
      rest = rest.subarray(this.#neededBytes)
      if (length < MAX_PAYLOAD_BYTES) packets.push({ payload: this.#joinParts(), sequence })
    }
    this.#chunks = [rest]
    this.#bufferedBytes = rest.length
    return packets
  }

  #joinParts(): Buffer {
    const parts = this.#parts
    this.#parts = []
    this.#size = 0
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
  }
}

/** Sends packets with consecutive sequence numbers. */
export class PacketWriter {
  /** Sequence number of the next packet. */
  sequence = 0
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
  }

  send(...payloads: readonly Buffer[]): void {
    const pieces: Buffer[] = []
    for (const payload of payloads)
      for (let at = 0; at === 0 || at <= payload.length; at += MAX_PAYLOAD_BYTES) {
        const part = payload.subarray(at, at + MAX_PAYLOAD_BYTES)
        const header = Buffer.alloc(4)
        header.writeUIntLE(part.length, 0, 3)
        header[3] = this.sequence
        this.sequence = (this.sequence + 1) & 0xff
        pieces.push(header, part)
        if (part.length < MAX_PAYLOAD_BYTES) break
      }
    this.#socket.write(Buffer.concat(pieces))
  }

  /** Bytes that are not sent yet. */
  get pendingBytes(): number {
    return this.#socket.writableLength
  }
}

/** Encodes a length-encoded integer. */
export const toLength = (value: number): Buffer => {
  if (value < 251) return Buffer.from([value])
  const size = value < 0x1_0000 ? 2 : value < 0x100_0000 ? 3 : 8
  const bytes = Buffer.alloc(1 + size)
  bytes[0] = size === 2 ? 0xfc : size === 3 ? 0xfd : 0xfe
  if (size === 8) bytes.writeBigUInt64LE(BigInt(value), 1)
  else bytes.writeUIntLE(value, 1, size)
  return bytes
}

export const toText = (value: string | Uint8Array): Buffer => {
  const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from(value)
  return Buffer.concat([toLength(bytes.length), bytes])
}

export const toNumber = (value: number, size: 1 | 2 | 4): Buffer => {
  const bytes = Buffer.alloc(size)
  bytes.writeUIntLE(value, 0, size)
  return bytes
}

/** Reads the fields of a packet in order. */
export class Fields {
  at: number
  readonly #bytes: Buffer

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.at = at
  }

  get left(): number {
    return this.#bytes.length - this.at
  }

  number(size: 1 | 2 | 3 | 4): number {
    this.at += size
    return this.#bytes.readUIntLE(this.at - size, size)
  }

  /** Reads a length-encoded integer, or null, which has its own marker. */
  length(): number | null {
    const first = this.number(1)
    if (first < 251) return first
    if (first === 251) return null
    if (first === 0xfc) return this.number(2)
    if (first === 0xfd) return this.number(3)
    this.at += 8
    return Number(this.#bytes.readBigUInt64LE(this.at - 8))
  }

  bytes(length = this.left): Buffer {
    this.at += length
    return this.#bytes.subarray(this.at - length, this.at)
  }

  text(): string | null {
    const length = this.length()
    return length === null ? null : this.bytes(length).toString()
  }

  /** Reads text up to a zero byte or the end. */
  word(): string {
    const end = this.#bytes.indexOf(0, this.at)
    const word = this.#bytes.subarray(this.at, end < 0 ? undefined : end).toString()
    this.at = end < 0 ? this.#bytes.length : end + 1
    return word
  }
}

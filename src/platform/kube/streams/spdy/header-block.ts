/** The compressed header blocks of SPDY/3: one zlib stream per direction for the whole connection. */
import { constants, inflateRawSync } from 'node:zlib'
import { SPDY_DICTIONARY, SPDY_DICTIONARY_ID } from './dictionary.ts'
import { SpdyError } from './spdy-error.ts'

/** Names are in lower case. */
export type SpdyHeaders = ReadonlyMap<string, string>

const WINDOW_BYTES = 32 * 1024
const MAX_PLAIN_BYTES = 64 * 1024
const ZLIB_HEADER = Buffer.from([0x78, 0xbb, 0, 0, 0, 0])
ZLIB_HEADER.writeUInt32BE(SPDY_DICTIONARY_ID, 2)

const parseHeaders = (plain: Buffer): SpdyHeaders => {
  let offset = 0
  const readUint32 = (): number => {
    if (offset + 4 > plain.length) throw new SpdyError('header block ends early')
    offset += 4
    return plain.readUInt32BE(offset - 4)
  }
  const readText = (): string => {
    const length = readUint32()
    if (offset + length > plain.length) throw new SpdyError('header block ends early')
    offset += length
    return plain.toString('utf8', offset - length, offset)
  }
  const headers = new Map<string, string>()
  for (let left = readUint32(); left > 0; left -= 1) {
    const name = readText().toLowerCase()
    headers.set(name, readText())
  }
  return headers
}

/** Removes the zlib header (two bytes) and the dictionary id (four bytes). */
const stripZlibHeader = (block: Buffer): Buffer => {
  if (block.length < 6 || (block.readUInt16BE(0) & 0x0f20) !== 0x0820) {
    throw new SpdyError('header block is not a zlib stream with a dictionary')
  }
  if (block.readUInt32BE(2) !== SPDY_DICTIONARY_ID)
    throw new SpdyError('header block names another dictionary')
  return block.subarray(6)
}

/**
 * Reads the blocks of one direction, in order. Every block ends with a sync flush, so it can be inflated separately, with
 * the window of past output as its dictionary.
 */
export const createHeaderReader = (): ((block: Buffer) => SpdyHeaders) => {
  let history = SPDY_DICTIONARY
  let started = false
  return (block) => {
    const compressed = started ? block : stripZlibHeader(block)
    started = true
    let plain: Buffer
    try {
      plain = inflateRawSync(compressed, {
        dictionary: history,
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: MAX_PLAIN_BYTES,
      })
    } catch (cause) {
      throw new SpdyError('header block does not inflate', { cause })
    }
    history = Buffer.concat([history, plain]).subarray(-WINDOW_BYTES)
    return parseHeaders(plain)
  }
}

/** The empty stored block of a sync flush, without which Go's inflater returns no data. */
const SYNC_FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff])

/** Writes the blocks of one direction as stored deflate blocks: they are too small to be worth compressing. */
export const createHeaderWriter = (): ((headers: SpdyHeaders) => Buffer) => {
  let started = false
  return (headers) => {
    const parts: Buffer[] = [Buffer.alloc(4)]
    parts[0]!.writeUInt32BE(headers.size, 0)
    for (const text of [...headers].flat()) {
      const bytes = Buffer.from(text)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length, 0)
      parts.push(length, bytes)
    }
    const plain = Buffer.concat(parts)
    const storedBlockHeader = Buffer.alloc(5)
    storedBlockHeader.writeUInt16LE(plain.length, 1)
    storedBlockHeader.writeUInt16LE(plain.length ^ 0xffff, 3)
    const opening = started ? [] : [ZLIB_HEADER]
    started = true
    return Buffer.concat([...opening, storedBlockHeader, plain, SYNC_FLUSH])
  }
}

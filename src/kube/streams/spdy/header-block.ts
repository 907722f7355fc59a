/** The compressed name and value blocks of SPDY/3: one zlib stream in each direction for the whole connection. */
import { constants, inflateRawSync } from 'node:zlib'
import { SPDY_DICTIONARY, SPDY_DICTIONARY_ID } from './dictionary.ts'
import { SpdyError } from './spdy-error.ts'

/** Names are in lower case. */
export type SpdyHeaders = ReadonlyMap<string, string>

const WINDOW = 32 * 1024
const MAX_PLAIN = 64 * 1024
const ZLIB_WITH_DICTIONARY = Buffer.from([0x78, 0xbb, 0, 0, 0, 0])
ZLIB_WITH_DICTIONARY.writeUInt32BE(SPDY_DICTIONARY_ID, 2)

const parseHeaders = (plain: Buffer): SpdyHeaders => {
  let at = 0
  const word = (): number => {
    if (at + 4 > plain.length) throw new SpdyError('header block ends early')
    at += 4
    return plain.readUInt32BE(at - 4)
  }
  const text = (): string => {
    const length = word()
    if (at + length > plain.length) throw new SpdyError('header block ends early')
    at += length
    return plain.toString('utf8', at - length, at)
  }
  const headers = new Map<string, string>()
  for (let left = word(); left > 0; left -= 1) {
    const name = text().toLowerCase()
    headers.set(name, text())
  }
  return headers
}

/** Drops the two bytes of zlib header and the four that name the dictionary. */
const afterZlibHeader = (block: Buffer): Buffer => {
  if (block.length < 6 || (block.readUInt16BE(0) & 0x0f20) !== 0x0820) {
    throw new SpdyError('header block is no zlib stream with a dictionary')
  }
  if (block.readUInt32BE(2) !== SPDY_DICTIONARY_ID)
    throw new SpdyError('header block names another dictionary')
  return block.subarray(6)
}

/**
 * Reads the blocks of one direction, in order. A block ends with a sync flush, so all that joins it to the next
 * is the window of past output: each is inflated at once, primed with that.
 */
export const createHeaderReader = (): ((block: Buffer) => SpdyHeaders) => {
  let history = SPDY_DICTIONARY
  let begun = false
  return (block) => {
    const compressed = begun ? block : afterZlibHeader(block)
    begun = true
    let plain: Buffer
    try {
      plain = inflateRawSync(compressed, {
        dictionary: history,
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: MAX_PLAIN,
      })
    } catch (cause) {
      throw new SpdyError('header block does not inflate', { cause })
    }
    history = Buffer.concat([history, plain]).subarray(-WINDOW)
    return parseHeaders(plain)
  }
}

/** The empty stored block of a sync flush: Go's inflater hands out nothing before it has seen one. */
const SYNC_FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff])

/** Writes the blocks of one direction, as stored deflate blocks: ours are a few bytes, with nothing to gain. */
export const createHeaderWriter = (): ((headers: SpdyHeaders) => Buffer) => {
  let begun = false
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
    const stored = Buffer.alloc(5)
    stored.writeUInt16LE(plain.length, 1)
    stored.writeUInt16LE(plain.length ^ 0xffff, 3)
    const opening = begun ? [] : [ZLIB_WITH_DICTIONARY]
    begun = true
    return Buffer.concat([...opening, stored, plain, SYNC_FLUSH])
  }
}

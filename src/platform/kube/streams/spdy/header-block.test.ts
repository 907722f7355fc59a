/** Tests of header blocks with zlib streams and bytes recorded from kubectl. */
import { once } from 'node:events'
import { constants, createDeflate, createInflate, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SPDY_DICTIONARY, SPDY_DICTIONARY_ID } from './dictionary.ts'
import { createHeaderReader, createHeaderWriter } from './header-block.ts'
import { SpdyError } from './spdy-error.ts'

/** The header blocks of the first two streams of an exec by kubectl 1.27. */
const KUBECTL_BLOCKS = [
  '78f9e3c6a7c26260606004a7b392a2d4c45c6851c29a0a0a6800000000ffff',
  'c22ac5565c92925f5a02000000ffff',
].map((hex) => Buffer.from(hex, 'hex'))

describe('the dictionary', () => {
  it('has the checksum of SPDY/3', () => {
    expect(SPDY_DICTIONARY).toHaveLength(1423)
    expect(deflateSync('', { dictionary: SPDY_DICTIONARY }).readUInt32BE(2)).toBe(SPDY_DICTIONARY_ID)
  })
})

describe('createHeaderReader', () => {
  it('reads consecutive blocks of kubectl', () => {
    const read = createHeaderReader()
    expect(KUBECTL_BLOCKS.map((block) => [...read(block)])).toEqual([
      [['streamtype', 'error']],
      [['streamtype', 'stdout']],
    ])
  })

  it('reads one zlib stream of many blocks', async () => {
    const deflate = createDeflate({ dictionary: SPDY_DICTIONARY, level: 9 })
    const [read, write] = [createHeaderReader(), createHeaderWriter()]
    let block: Buffer[] = []
    deflate.on('data', (chunk: Buffer) => block.push(chunk))
    write(new Map())
    for (let index = 0; index < 200; index += 1) {
      const headers = new Map([
        ['streamtype', index % 2 === 0 ? 'data' : 'error'],
        ['port', String(8000 + index)],
        ['filler', 'x'.repeat(index * 7)],
      ])
      // The writer emits stored blocks: the plain text is between the block header and the flush.
      deflate.write(write(headers).subarray(5, -5))
      await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, resolve))
      expect(read(Buffer.concat(block))).toEqual(headers)
      block = []
    }
  })

  it('throws only SpdyError, regardless of the bytes', () => {
    const prefix = KUBECTL_BLOCKS[0]!.subarray(0, 6)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, hasPrefix) => {
        try {
          createHeaderReader()(hasPrefix ? Buffer.concat([prefix, bytes]) : Buffer.from(bytes))
        } catch (error) {
          expect(error).toBeInstanceOf(SpdyError)
        }
      }),
    )
  })

  it('rejects a decompression bomb', () => {
    const bomb = deflateSync(Buffer.alloc(10_000_000), { dictionary: SPDY_DICTIONARY })
    expect(() => createHeaderReader()(bomb)).toThrow(SpdyError)
  })
})

describe('createHeaderWriter', () => {
  it('writes blocks that zlib reads as one stream', async () => {
    const write = createHeaderWriter()
    const inflate = createInflate({ dictionary: SPDY_DICTIONARY })
    inflate.write(Buffer.concat([write(new Map()), write(new Map([['a', 'bc']]))]))
    inflate.flush(constants.Z_SYNC_FLUSH)
    const [plain] = (await once(inflate, 'data')) as [Buffer]
    expect(plain.toString('hex')).toBe('00000000000000010000000161000000026263')
  })
})

/** Tests the volumes of a simulated cluster. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readContent } from './stored-file.ts'
import {
  addFile,
  addFolders,
  closeInVolume,
  createVolume,
  removeFile,
  renameFile,
  replaceFiles,
  resizeInVolume,
  usedBytesOf,
  writeToVolume,
} from './volume.ts'

const KIB = 1024
const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const sourceOf = (path: string, text: string) => ({ path, content: () => toBytes(text) })

describe('space', () => {
  it('is used in blocks and freed when a file shrinks, is removed or is replaced', () => {
    const volume = createVolume({ kind: 'disk' })
    const [file, other] = [addFile(volume, 'file'), addFile(volume, 'other')]
    writeToVolume(volume, file, new Uint8Array(5000), 0)
    writeToVolume(volume, other, new Uint8Array(1), 0)
    expect(usedBytesOf(volume)).toBe(12 * KIB)
    resizeInVolume(volume, file, 4096)
    expect(usedBytesOf(volume)).toBe(8 * KIB)
    renameFile(volume, file, 'other')
    expect(usedBytesOf(volume)).toBe(4 * KIB)
    removeFile(volume, file)
    expect(usedBytesOf(volume)).toBe(0)
  })

  it('of a removed file is freed when the file is closed', () => {
    const volume = createVolume({ kind: 'disk' })
    const file = addFile(volume, 'file')
    writeToVolume(volume, file, new Uint8Array(100), 0)
    file.opened = 2
    removeFile(volume, file)
    closeInVolume(volume, file)
    writeToVolume(volume, file, new Uint8Array(5000), 0)
    expect(usedBytesOf(volume)).toBe(8 * KIB)
    closeInVolume(volume, file)
    expect(usedBytesOf(volume)).toBe(0)
  })

  it('is limited by the capacity, up to the last byte', () => {
    const volume = createVolume({ kind: 'memory', capacityBytes: 10 * KIB })
    const [small, large] = [addFile(volume, 'small'), addFile(volume, 'large')]
    expect(writeToVolume(volume, small, new Uint8Array(10), 0)).toBe(10)
    // Three blocks of 4 KiB; the first file has one of them.
    expect(writeToVolume(volume, large, new Uint8Array(KIB * KIB), 0)).toBe(8 * KIB)
    expect(writeToVolume(volume, large, new Uint8Array(1), 8 * KIB)).toBeUndefined()
    expect(writeToVolume(volume, large, new Uint8Array(0), 8 * KIB)).toBe(0)
    // The first file can still grow within its block, and bytes can be overwritten.
    expect(writeToVolume(volume, small, new Uint8Array(5000), 10)).toBe(4086)
    expect(writeToVolume(volume, large, new Uint8Array(10), 100)).toBe(10)
    expect(resizeInVolume(volume, large, 8 * KIB + 1)).toBe(false)
    removeFile(volume, small)
    expect(resizeInVolume(volume, large, 8 * KIB + 1)).toBe(true)
  })

  it('is not used by files of an image until they are changed', () => {
    const volume = createVolume({ kind: 'disk', files: [sourceOf('/etc/hosts', 'x'.repeat(5000))] })
    const file = volume.files.get('etc/hosts')!
    expect(readContent(file)).toHaveLength(5000)
    expect(usedBytesOf(volume)).toBe(0)
    writeToVolume(volume, file, toBytes('y'), 0)
    expect(usedBytesOf(volume)).toBe(8 * KIB)
  })
})

describe('content', () => {
  it('equals that of a plain array after any sequence of writes and truncations', () => {
    const write = fc.record({ at: fc.nat(60), bytes: fc.uint8Array({ maxLength: 30 }) })
    const change = fc.oneof(write, fc.record({ size: fc.nat(80) }))
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const volume = createVolume({ kind: 'disk' })
        const file = addFile(volume, 'file')
        let expected: number[] = []
        for (const each of changes)
          if ('size' in each) {
            resizeInVolume(volume, file, each.size)
            expected = Array.from({ length: each.size }, (_, index) => expected[index] ?? 0)
          } else if (each.bytes.length > 0) {
            writeToVolume(volume, file, each.bytes, each.at)
            const length = Math.max(expected.length, each.at + each.bytes.length)
            const before = expected
            expected = Array.from({ length }, (_, index) => each.bytes[index - each.at] ?? before[index] ?? 0)
          }
        expect([...readContent(file)]).toEqual(expected)
        expect(file.size).toBe(expected.length)
      }),
    )
  })

  it('is kept in few pieces, which copies of the volume can share', () => {
    const volume = createVolume({ kind: 'disk' })
    const file = addFile(volume, 'file')
    writeToVolume(volume, file, toBytes('start '), 0)
    const copy = { ...file, chunks: [...file.chunks] }
    for (let line = 0; line < 2000; line += 1) writeToVolume(volume, file, toBytes('line\n'), file.size)
    // 2001 pieces: seven times 257 of them were joined, and 202 follow.
    expect(file.chunks).toHaveLength(7 + 202)
    expect(new TextDecoder().decode(readContent(file))).toBe(`start ${'line\n'.repeat(2000)}`)
    writeToVolume(volume, file, toBytes('S'), 0)
    expect(file.chunks).toHaveLength(1)
    expect(readContent(file)).toHaveLength(6 + 2000 * 5)
    expect(readContent(copy)).toEqual(toBytes('start '))
  })

  it('of API objects is computed on first use, and replaced as a whole', () => {
    let computed = 0
    const content = (): Uint8Array => {
      computed += 1
      return toBytes('a')
    }
    const volume = createVolume({ kind: 'objects', files: [{ path: 'deep/key', content }] })
    expect(volume.folders).toEqual(new Set(['', 'deep']))
    const before = volume.files.get('deep/key')!
    expect(computed).toBe(0)
    expect(readContent(before)).toEqual(readContent(before))
    expect(computed).toBe(1)
    replaceFiles(volume, [sourceOf('other', 'b')])
    expect([...volume.files.keys()]).toEqual(['other'])
    expect(volume.folders).toEqual(new Set(['']))
    expect(readContent(before)).toEqual(toBytes('a'))
  })
})

it('adds folders, unless a file has the path of one of them', () => {
  const volume = createVolume({ kind: 'disk', folders: ['/tmp/deep'] })
  addFile(volume, 'tmp/file')
  expect(addFolders(volume, 'a/b/c')).toBeUndefined()
  expect(addFolders(volume, 'tmp/file/below')).toBe('tmp/file')
  expect(volume.folders).toEqual(new Set(['', 'tmp', 'tmp/deep', 'a', 'a/b', 'a/b/c']))
})

/** Overrides attributes in an answer. The attributes have the names that Chaos Mesh uses. */
import type { Attributes } from '#platform/kube/io-effects'

const KINDS: Readonly<Record<string, number>> = {
  namedPipe: 0o010000,
  charDevice: 0o020000,
  directory: 0o040000,
  blockDevice: 0o060000,
  regularFile: 0o100000,
  symlink: 0o120000,
  socket: 0o140000,
}
// Offsets in a `struct fuse_attr`.
const MODE_OFFSET = 60
const U64_OFFSETS: Readonly<Record<string, number>> = { ino: 0, size: 8, blocks: 16 }
const U32_OFFSETS: Readonly<Record<string, number>> = { nlink: 64, uid: 68, gid: 72, rdev: 76 }
/** Each has an offset for seconds and one for nanoseconds. */
const TIME_OFFSETS: Readonly<Record<string, readonly [number, number]>> = {
  atime: [24, 48],
  mtime: [32, 52],
  ctime: [40, 56],
}

/** Times are seconds since the epoch with an optional fraction; `perm` is a number; `kind` is a key of KINDS. */
export const overrideAttributes = (answer: Buffer, start: number, attributes: Attributes): void => {
  for (const [name, value] of Object.entries(attributes)) {
    const number = Number(value)
    const mode = answer.readUInt32LE(start + MODE_OFFSET)
    const time = TIME_OFFSETS[name]
    if (name === 'kind')
      answer.writeUInt32LE((mode & 0o7777) | (KINDS[value] ?? mode & 0o170000), start + MODE_OFFSET)
    else if (name === 'perm') answer.writeUInt32LE((mode & 0o170000) | (number & 0o7777), start + MODE_OFFSET)
    else if (time !== undefined) {
      answer.writeBigInt64LE(BigInt(Math.floor(number)), start + time[0])
      answer.writeUInt32LE(Math.floor((number - Math.floor(number)) * 1e9), start + time[1])
    } else if (U64_OFFSETS[name] !== undefined)
      answer.writeBigUInt64LE(BigInt.asUintN(64, BigInt(Math.trunc(number))), start + U64_OFFSETS[name])
    else if (U32_OFFSETS[name] !== undefined)
      answer.writeUInt32LE(Math.trunc(number) >>> 0, start + U32_OFFSETS[name])
  }
}

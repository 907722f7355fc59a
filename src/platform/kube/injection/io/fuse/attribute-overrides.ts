/** Overrides attributes in an answer, by the names of Chaos Mesh. */
import type { Attributes } from '../effects.ts'

const KINDS: Readonly<Record<string, number>> = {
  namedPipe: 0o010000,
  charDevice: 0o020000,
  directory: 0o040000,
  blockDevice: 0o060000,
  regularFile: 0o100000,
  symlink: 0o120000,
  socket: 0o140000,
}
const MODE_AT = 60
/** Offsets in a `struct fuse_attr`. */
const LONG_AT: Readonly<Record<string, number>> = { ino: 0, size: 8, blocks: 16 }
const SHORT_AT: Readonly<Record<string, number>> = { nlink: 64, uid: 68, gid: 72, rdev: 76 }
/** The offsets of seconds and nanoseconds. */
const TIME_AT: Readonly<Record<string, readonly [number, number]>> = {
  atime: [24, 48],
  mtime: [32, 52],
  ctime: [40, 56],
}

/** Times are seconds since the epoch with an optional fraction; `perm` is a number; `kind` is a key of KINDS. */
export const overrideAttributes = (answer: Buffer, at: number, attributes: Attributes): void => {
  for (const [name, value] of Object.entries(attributes)) {
    const number = Number(value)
    const mode = answer.readUInt32LE(at + MODE_AT)
    const time = TIME_AT[name]
    if (name === 'kind')
      answer.writeUInt32LE((mode & 0o7777) | (KINDS[value] ?? mode & 0o170000), at + MODE_AT)
    else if (name === 'perm') answer.writeUInt32LE((mode & 0o170000) | (number & 0o7777), at + MODE_AT)
    else if (time !== undefined) {
      answer.writeBigInt64LE(BigInt(Math.floor(number)), at + time[0])
      answer.writeUInt32LE(Math.floor((number - Math.floor(number)) * 1e9), at + time[1])
    } else if (LONG_AT[name] !== undefined)
      answer.writeBigUInt64LE(BigInt.asUintN(64, BigInt(Math.trunc(number))), at + LONG_AT[name])
    else if (SHORT_AT[name] !== undefined) answer.writeUInt32LE(Math.trunc(number) >>> 0, at + SHORT_AT[name])
  }
}

/** The part of the kernel's FUSE protocol, version 7.39, that is used to serve volumes. */
import type { BigIntStats } from 'node:fs'

/** The request types. */
export const Opcode = {
  LOOKUP: 1,
  FORGET: 2,
  GETATTR: 3,
  SETATTR: 4,
  READLINK: 5,
  SYMLINK: 6,
  MKNOD: 8,
  MKDIR: 9,
  UNLINK: 10,
  RMDIR: 11,
  RENAME: 12,
  LINK: 13,
  OPEN: 14,
  READ: 15,
  WRITE: 16,
  STATFS: 17,
  RELEASE: 18,
  FSYNC: 20,
  SETXATTR: 21,
  GETXATTR: 22,
  LISTXATTR: 23,
  REMOVEXATTR: 24,
  FLUSH: 25,
  INIT: 26,
  OPENDIR: 27,
  READDIR: 28,
  RELEASEDIR: 29,
  FSYNCDIR: 30,
  ACCESS: 34,
  CREATE: 35,
  INTERRUPT: 36,
  DESTROY: 38,
  BATCH_FORGET: 42,
  FALLOCATE: 43,
  RENAME2: 45,
  LSEEK: 46,
} as const

// The sizes of the headers in bytes.
export const IN_HEADER = 40
export const OUT_HEADER = 16
/** The maximum size of one read or write. */
export const MAX_WRITE_BYTES = 1 << 20
const PAGE = 4096

export interface FuseRequest {
  opcode: number
  unique: number
  nodeId: number
  uid: number
  gid: number
  /** The calling thread. */
  pid: number
  /** A copy of the bytes after the header. */
  body: Buffer
}

export const u64 = (bytes: Buffer, offset: number): number => Number(bytes.readBigUInt64LE(offset))

export const parseRequest = (bytes: Buffer): FuseRequest => ({
  opcode: bytes.readUInt32LE(4),
  unique: u64(bytes, 8),
  nodeId: u64(bytes, 16),
  uid: bytes.readUInt32LE(24),
  gid: bytes.readUInt32LE(28),
  pid: bytes.readUInt32LE(32),
  body: Buffer.from(bytes.subarray(IN_HEADER)),
})

/** Reads zero-terminated names as Latin-1, which preserves every byte. */
export const namesIn = (body: Buffer, from: number): string[] =>
  body.toString('latin1', from).split('\0').slice(0, -1)

/** Returns an answer with `size` zero bytes after the space for its header. */
export const emptyAnswer = (size = 0): Buffer => Buffer.alloc(OUT_HEADER + size)

/** Fills in the header. */
export const sealAnswer = (answer: Buffer, unique: number, errno = 0): Buffer => {
  answer.writeUInt32LE(answer.length, 0)
  answer.writeInt32LE(-errno, 4)
  answer.writeBigUInt64LE(BigInt(unique), 8)
  return answer
}

const NANO = 1_000_000_000n

/** Writes a `struct fuse_attr`, which has 88 bytes. */
const writeAttributes = (bytes: Buffer, offset: number, stats: BigIntStats): void => {
  for (const [index, value] of [
    stats.ino,
    stats.size,
    stats.blocks,
    stats.atimeNs / NANO,
    stats.mtimeNs / NANO,
    stats.ctimeNs / NANO,
  ].entries())
    bytes.writeBigInt64LE(BigInt.asIntN(64, value), offset + index * 8)
  for (const [index, value] of [
    stats.atimeNs % NANO,
    stats.mtimeNs % NANO,
    stats.ctimeNs % NANO,
    stats.mode,
    stats.nlink,
    stats.uid,
    stats.gid,
    stats.rdev,
    stats.blksize,
    0n,
  ].entries())
    bytes.writeUInt32LE(Number(BigInt.asUintN(32, value)), offset + 48 + index * 4)
}

// The offset of the attributes, in an answer with a directory entry and in one without.
export const ENTRY_ATTRIBUTES = OUT_HEADER + 40
export const PLAIN_ATTRIBUTES = OUT_HEADER + 16

/** The cache timeout is zero: the kernel must not cache the attributes, so that faults can affect every call. */
export const attributesAnswer = (stats: BigIntStats): Buffer => {
  const answer = emptyAnswer(104)
  writeAttributes(answer, PLAIN_ATTRIBUTES, stats)
  return answer
}

export const entryAnswer = (nodeId: number, stats: BigIntStats, extraBytes = 0): Buffer => {
  const answer = emptyAnswer(128 + extraBytes)
  answer.writeBigUInt64LE(BigInt(nodeId), OUT_HEADER)
  writeAttributes(answer, ENTRY_ATTRIBUTES, stats)
  return answer
}

/** Writes a `struct fuse_open_out`, which has 16 bytes. */
export const writeOpened = (answer: Buffer, offset: number, fd: number, flags: number): Buffer => {
  answer.writeBigUInt64LE(BigInt(fd), offset)
  answer.writeUInt32LE(flags, offset + 8)
  return answer
}

const ASYNC_READ = 1 << 0
const ATOMIC_O_TRUNC = 1 << 3
const BIG_WRITES = 1 << 5
const AUTO_INVAL_DATA = 1 << 12
const ASYNC_DIO = 1 << 15
const PARALLEL_DIROPS = 1 << 18
const MAX_PAGES = 1 << 22
const HANDLE_KILLPRIV_V2 = 1 << 28
const INIT_EXT = 1 << 30
/** A flag in the second word of flags. */
const DIRECT_IO_ALLOW_MMAP = 1 << 4

const SUPPORTED_FLAGS =
  ASYNC_READ |
  ATOMIC_O_TRUNC |
  BIG_WRITES |
  AUTO_INVAL_DATA |
  ASYNC_DIO |
  PARALLEL_DIROPS |
  MAX_PAGES |
  HANDLE_KILLPRIV_V2 |
  INIT_EXT

export interface Negotiation {
  answer: Buffer
  /**
   * Whether files bypass the page cache, so that every call reaches this file system. Kernels before 6.6 cannot map
   * such files into memory, so the cache is used there.
   */
  direct: boolean
}

export const negotiate = (body: Buffer): Negotiation => {
  const minor = body.readUInt32LE(4)
  const offered = body.readUInt32LE(12)
  const offeredMore = (offered & INIT_EXT) !== 0 && body.length >= 20 ? body.readUInt32LE(16) : 0
  const direct = (offeredMore & DIRECT_IO_ALLOW_MMAP) !== 0
  const answer = emptyAnswer(64)
  const words = [7, Math.min(minor, 39), body.readUInt32LE(8), (offered & SUPPORTED_FLAGS) >>> 0]
  for (const [index, word] of words.entries()) answer.writeUInt32LE(word, OUT_HEADER + index * 4)
  answer.writeUInt16LE(256, OUT_HEADER + 16) // The maximum number of background requests.
  answer.writeUInt16LE(192, OUT_HEADER + 18) // The threshold at which the kernel throttles writers.
  answer.writeUInt32LE(MAX_WRITE_BYTES, OUT_HEADER + 20)
  answer.writeUInt32LE(1, OUT_HEADER + 24) // The granularity of times in nanoseconds.
  answer.writeUInt16LE(MAX_WRITE_BYTES / PAGE, OUT_HEADER + 28)
  answer.writeUInt32LE(offeredMore & DIRECT_IO_ALLOW_MMAP, OUT_HEADER + 32)
  return { answer, direct }
}

/** Handles requests for a file's attributes and extended attributes. */
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  lchownSync,
  openSync,
  readlinkSync,
  statfsSync,
} from 'node:fs'
import { type FileTime, fileCalls, UTIME_NOW, UTIME_OMIT } from '#machine/linux'
import { dropPrivileges } from './file-operations.ts'
import { FileError, type FileLocation } from './nodes.ts'
import type { Call, Operations, Volume } from './operation.ts'
import {
  attributesAnswer,
  emptyAnswer,
  namesIn,
  Opcode,
  OUT_HEADER,
  PLAIN_ATTRIBUTES,
  u64,
} from './protocol.ts'

// The bits of a SETATTR request that say which attributes to change.
const MODE = 1 << 0
const UID = 1 << 1
const GID = 1 << 2
const SIZE = 1 << 3
const ATIME = 1 << 4
const MTIME = 1 << 5
const HANDLE = 1 << 6
const ATIME_NOW = 1 << 7
const MTIME_NOW = 1 << 8
const KILL_SUIDGID = 1 << 11

const changeSize = (location: FileLocation, size: number, clearPrivileges: boolean): void => {
  const fd =
    typeof location === 'number' ? location : openSync(location, constants.O_WRONLY | constants.O_NOFOLLOW)
  try {
    ftruncateSync(fd, size)
    if (clearPrivileges) dropPrivileges(fd)
  } finally {
    if (fd !== location) closeSync(fd)
  }
}

const timeIn = (body: Buffer, isNow: boolean, secondsAt: number, nanosecondsAt: number): FileTime =>
  isNow ? [0n, UTIME_NOW] : [body.readBigInt64LE(secondsAt), body.readUInt32LE(nanosecondsAt)]

const UNCHANGED: FileTime = [0n, UTIME_OMIT]

const changeAttributes = (location: FileLocation, writable: FileLocation, body: Buffer): void => {
  const valid = body.readUInt32LE(0)
  const has = (bit: number): boolean => (valid & bit) !== 0
  if (has(UID | GID)) {
    const [uid, gid] = [has(UID) ? body.readUInt32LE(76) : -1, has(GID) ? body.readUInt32LE(80) : -1]
    if (typeof location === 'number') fchownSync(location, uid, gid)
    else lchownSync(location, uid, gid)
  }
  if (has(MODE)) {
    const mode = body.readUInt32LE(68) & 0o7777
    if (typeof location === 'number') fchmodSync(location, mode)
    else chmodSync(location, mode)
  }
  if (has(SIZE)) changeSize(writable, u64(body, 16), has(KILL_SUIDGID))
  if (has(ATIME | MTIME))
    fileCalls.setTimes(
      location,
      has(ATIME) ? timeIn(body, has(ATIME_NOW), 32, 56) : UNCHANGED,
      has(MTIME) ? timeIn(body, has(MTIME_NOW), 40, 60) : UNCHANGED,
    )
}

/** Returns the path of a file; throws if the file has only a descriptor. */
const pathOf = (volume: Volume, { node }: Call): Buffer => {
  const { location } = volume.nodes.find(node)
  if (typeof location === 'number') throw new FileError('EOPNOTSUPP')
  return location
}

/** Answers with the bytes, or only with their number if the caller's buffer size is zero. */
const bytesAnswer = (size: number, read: (bytes: Buffer) => number): Buffer => {
  if (size > 0) {
    const answer = emptyAnswer(size)
    return answer.subarray(0, OUT_HEADER + read(answer.subarray(OUT_HEADER)))
  }
  const answer = emptyAnswer(8)
  answer.writeUInt32LE(read(Buffer.alloc(0)), OUT_HEADER)
  return answer
}

const spaceAnswer = (): Buffer => {
  const { blocks, bfree, bavail, files, ffree, bsize } = statfsSync('/', { bigint: true })
  const answer = emptyAnswer(80)
  for (const [index, value] of [blocks, bfree, bavail, files, ffree].entries())
    answer.writeBigUInt64LE(BigInt.asUintN(64, value), OUT_HEADER + index * 8)
  for (const [index, value] of [Number(bsize), 255, Number(bsize)].entries())
    answer.writeUInt32LE(value, OUT_HEADER + 40 + index * 4)
  return answer
}

export const attributeOperations = (volume: Volume): Operations => {
  const { find } = volume.nodes
  return {
    [Opcode.GETATTR]: {
      method: 'getattr',
      attributesAt: PLAIN_ATTRIBUTES,
      run({ node, body }) {
        const byHandle = (body.readUInt32LE(0) & 1) !== 0
        const stats: BigIntStats = byHandle ? fstatSync(u64(body, 8), { bigint: true }) : find(node).stats
        return attributesAnswer(stats)
      },
    },
    [Opcode.SETATTR]: {
      method: 'setattr',
      attributesAt: PLAIN_ATTRIBUTES,
      run({ node, body }) {
        const { location } = find(node)
        changeAttributes(location, (body.readUInt32LE(0) & HANDLE) !== 0 ? u64(body, 8) : location, body)
        return attributesAnswer(find(node).stats)
      },
    },
    [Opcode.READLINK]: {
      method: 'readlink',
      run(call) {
        const target = readlinkSync(pathOf(volume, call), { encoding: 'buffer' })
        return Buffer.concat([emptyAnswer(), target])
      },
    },
    [Opcode.STATFS]: { method: 'statfs', run: spaceAnswer },
    // The kernel checks permissions itself (default_permissions).
    [Opcode.ACCESS]: { method: 'access', run: () => emptyAnswer() },
    [Opcode.GETXATTR]: {
      method: 'getxattr',
      run(call) {
        const [path, [name = '']] = [pathOf(volume, call), namesIn(call.body, 8)]
        const attribute = Buffer.from(name, 'latin1')
        return bytesAnswer(call.body.readUInt32LE(0), (value) =>
          fileCalls.getAttribute(path, attribute, value),
        )
      },
    },
    [Opcode.LISTXATTR]: {
      method: 'listxattr',
      run(call) {
        const path = pathOf(volume, call)
        return bytesAnswer(call.body.readUInt32LE(0), (list) => fileCalls.listAttributes(path, list))
      },
    },
    [Opcode.SETXATTR]: {
      method: 'setxattr',
      run(call) {
        const { body } = call
        const end = body.indexOf(0, 8)
        const value = body.subarray(end + 1, end + 1 + body.readUInt32LE(0))
        fileCalls.setAttribute(pathOf(volume, call), body.subarray(8, end), value, body.readUInt32LE(4))
        return emptyAnswer()
      },
    },
    [Opcode.REMOVEXATTR]: {
      method: 'removexattr',
      run(call) {
        const [name = ''] = namesIn(call.body, 0)
        fileCalls.removeAttribute(pathOf(volume, call), Buffer.from(name, 'latin1'))
        return emptyAnswer()
      },
    },
  }
}

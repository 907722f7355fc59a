/** Handles requests on open files. Node's thread pool reads and writes data, so that slow disks block no other call. */
import { closeSync, constants, fchmodSync, fdatasync, fstatSync, fsync, openSync, read, write } from 'node:fs'
import { fileCalls } from '#machine/linux'
import type { Node } from './nodes.ts'
import type { Call, Operations, Volume } from './operation.ts'
import { emptyAnswer, Opcode, OUT_HEADER, u64, writeOpened } from './protocol.ts'

const { O_CREAT, O_DIRECT, O_EXCL, O_NOCTTY, O_NOFOLLOW } = constants
/** Flags that the kernel handles, and O_DIRECT, which would require aligned memory. */
const DROPPED_FLAGS = O_CREAT | O_EXCL | O_NOCTTY | O_DIRECT
const WRITE_KILL_SUIDGID = 1 << 2
const OPEN_KILL_SUIDGID = 1 << 0

/** Clears the set-user-id and set-group-id bits, as a write by an unprivileged user does. */
export const dropPrivileges = (fd: number): void => {
  const { mode } = fstatSync(fd)
  const bits = 0o4000 | ((mode & 0o010) !== 0 ? 0o2000 : 0)
  if ((mode & bits) !== 0) fchmodSync(fd, mode & 0o7777 & ~bits)
}

/** Opens by path, or by the descriptor of a file without a path. The working folder is `/proc`. */
const openNode = (volume: Volume, node: Node, flags: number): number => {
  const { location } = volume.nodes.find(node)
  const fd =
    typeof location === 'number'
      ? openSync(`self/fd/${location}`, flags & ~O_NOFOLLOW)
      : openSync(location, flags | O_NOFOLLOW)
  node.open.add(fd)
  return fd
}

export const passedFlags = (flags: number): number => flags & ~DROPPED_FLAGS

const release = ({ node, body }: Call): Buffer => {
  const fd = u64(body, 0)
  node.open.delete(fd)
  closeSync(fd)
  return emptyAnswer()
}

const synchronise = ({ body }: Call): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const flush = (body.readUInt32LE(8) & 1) === 0 ? fsync : fdatasync
    flush(u64(body, 0), (error) => (error === null ? resolve(emptyAnswer()) : reject(error)))
  })

const readData = ({ body }: Call): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const size = body.readUInt32LE(16)
    const answer = Buffer.allocUnsafe(OUT_HEADER + size)
    read(u64(body, 0), answer, OUT_HEADER, size, body.readBigInt64LE(8), (error, count) =>
      error === null ? resolve(answer.subarray(0, OUT_HEADER + count)) : reject(error),
    )
  })

const writeData = ({ body }: Call): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const fd = u64(body, 0)
    write(fd, body, 40, body.readUInt32LE(16), u64(body, 8), (error, count) => {
      if (error !== null) return reject(error)
      if ((body.readUInt32LE(20) & WRITE_KILL_SUIDGID) !== 0) dropPrivileges(fd)
      const answer = emptyAnswer(8)
      answer.writeUInt32LE(count, OUT_HEADER)
      resolve(answer)
    })
  })

/** Returns the entries of the underlying folder, with its offsets. */
const readFolder = ({ body }: Call): Buffer => {
  const fd = u64(body, 0)
  const size = body.readUInt32LE(16)
  fileCalls.seek(fd, body.readBigInt64LE(8), 0)
  // A FUSE entry exceeds a dirent64 by at most five bytes plus padding: 24 + name instead of 19 + name.
  const raw = Buffer.allocUnsafe(Math.max(512, Math.floor(size * 0.6)))
  const filled = fileCalls.readEntries(fd, raw)
  const answer = emptyAnswer(size)
  let to = OUT_HEADER
  for (let from = 0; from < filled; from += raw.readUInt16LE(from + 16)) {
    const start = from + 19
    const length = raw.indexOf(0, start) - start
    const end = to + ((24 + length + 7) & ~7)
    if (end > answer.length) break
    raw.copy(answer, to, from, from + 16)
    answer.writeUInt32LE(length, to + 16)
    answer.writeUInt32LE(raw[from + 18]!, to + 20)
    raw.copy(answer, to + 24, start, start + length)
    to = end
  }
  return answer.subarray(0, to)
}

export const fileOperations = (volume: Volume): Operations => ({
  [Opcode.OPEN]: {
    method: 'open',
    run({ node, body }) {
      const fd = openNode(volume, node, passedFlags(body.readUInt32LE(0)))
      if ((body.readUInt32LE(4) & OPEN_KILL_SUIDGID) !== 0) dropPrivileges(fd)
      return writeOpened(emptyAnswer(16), OUT_HEADER, fd, volume.openFlags())
    },
  },
  [Opcode.OPENDIR]: {
    method: 'opendir',
    run({ node }) {
      const fd = openNode(volume, node, constants.O_RDONLY | constants.O_DIRECTORY)
      return writeOpened(emptyAnswer(16), OUT_HEADER, fd, 0)
    },
  },
  [Opcode.READ]: { method: 'read', run: readData },
  [Opcode.WRITE]: { method: 'write', run: writeData },
  [Opcode.READDIR]: { method: 'readdir', run: readFolder },
  [Opcode.FLUSH]: { method: 'flush', run: () => emptyAnswer() },
  [Opcode.RELEASE]: { method: 'release', isMandatory: true, run: release },
  [Opcode.RELEASEDIR]: { method: 'releasedir', isMandatory: true, run: release },
  [Opcode.FSYNC]: { method: 'fsync', run: synchronise },
  [Opcode.FSYNCDIR]: { method: 'fsyncdir', run: synchronise },
  [Opcode.FALLOCATE]: {
    method: 'fallocate',
    run({ body }) {
      const [offset, length] = [body.readBigInt64LE(8), body.readBigInt64LE(16)]
      fileCalls.allocate(u64(body, 0), body.readUInt32LE(24), offset, length)
      return emptyAnswer()
    },
  },
  [Opcode.LSEEK]: {
    method: 'lseek',
    run({ body }) {
      const answer = emptyAnswer(8)
      const location = fileCalls.seek(u64(body, 0), body.readBigInt64LE(8), body.readUInt32LE(16))
      answer.writeBigInt64LE(location, OUT_HEADER)
      return answer
    },
  },
})

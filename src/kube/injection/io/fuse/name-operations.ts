/** Requests that find, make, move and remove names in folders. */
import {
  chmodSync,
  constants,
  fstatSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { fileCalls } from '../../../../linux/index.ts'
import { passedFlags } from './file-operations.ts'
import { FileError } from './nodes.ts'
import type { Call, Operation, Operations, Volume } from './operation.ts'
import {
  ENTRY_ATTRIBUTES,
  emptyAnswer,
  entryAnswer,
  namesIn,
  Opcode,
  OUT_HEADER,
  u64,
  writeOpened,
} from './protocol.ts'

const RENAME_EXCHANGE = 2
const nameAt = (body: Buffer, from: number): string => namesIn(body, from)[0] ?? ''

export const nameOperations = (volume: Volume): Operations => {
  const { nodes } = volume

  const entry = ({ node }: Call, name: string, more = 0): Buffer => {
    const stats = lstatSync(nodes.childPath(node, name), { bigint: true })
    return entryAnswer(nodes.meet(node, name, stats).id, stats, more)
  }

  /** Gives what was made to the caller, except for the group where the folder hands down its own. */
  const give = ({ node, uid, gid }: Call, path: Buffer, mode: number): void => {
    const inherits = (nodes.find(node).stats.mode & 0o2000n) !== 0n
    lchownSync(path, uid, inherits ? -1 : gid)
    // A change of owner takes these marks away.
    if ((mode & 0o6000) !== 0 && (mode & 0o170000) !== 0o040000) chmodSync(path, mode & 0o7777)
  }

  const making = (
    method: string,
    nameFrom: number,
    make: (call: Call, path: Buffer) => number,
  ): Operation => ({
    method,
    attributesAt: ENTRY_ATTRIBUTES,
    names: ({ body }) => [nameAt(body, nameFrom)],
    run(call) {
      const name = nameAt(call.body, nameFrom)
      const path = nodes.childPath(call.node, name)
      give(call, path, make(call, path))
      return entry(call, name)
    },
  })

  const removing = (method: string, remove: (path: Buffer) => void): Operation => ({
    method,
    names: ({ body }) => [nameAt(body, 0)],
    run({ node, body }) {
      const name = nameAt(body, 0)
      const child = nodes.named(node, name)
      remove(nodes.childPath(node, name))
      if (child !== undefined) nodes.dropName(node, name, child)
      return emptyAnswer()
    },
  })

  const renaming = (namesFrom: number, flagsOf: (body: Buffer) => number): Operation => ({
    method: 'rename',
    names: ({ body }) => namesIn(body, namesFrom).slice(0, 1),
    others: ({ body }) => [{ nodeId: u64(body, 0), name: namesIn(body, namesFrom)[1] ?? '' }],
    run({ node, body }) {
      const [from = '', to = ''] = namesIn(body, namesFrom)
      const target = nodes.get(u64(body, 0))
      const flags = flagsOf(body)
      const [moved, replaced] = [nodes.named(node, from), nodes.named(target, to)]
      fileCalls.rename(nodes.childPath(node, from), nodes.childPath(target, to), flags)
      // Two names of one file: the kernel has left both as they are.
      if (moved !== undefined && moved === replaced) return emptyAnswer()
      if (replaced !== undefined) nodes.dropName(target, to, replaced)
      if (moved !== undefined) {
        nodes.dropName(node, from, moved)
        nodes.addName(target, to, moved)
      }
      if (replaced !== undefined && (flags & RENAME_EXCHANGE) !== 0) nodes.addName(node, from, replaced)
      return emptyAnswer()
    },
  })

  /** Nothing where another has made it meanwhile and the caller minds not. */
  const openNew = (call: Call, path: Buffer, flags: number, mode: number): number | undefined => {
    let fd: number
    try {
      fd = openSync(path, flags | constants.O_CREAT | constants.O_EXCL, mode & 0o7777)
    } catch (error) {
      const exists = (error as NodeJS.ErrnoException).code === 'EEXIST'
      if (exists && (call.body.readUInt32LE(0) & constants.O_EXCL) === 0) return undefined
      throw error
    }
    give(call, path, mode)
    return fd
  }

  const create = (call: Call): Buffer => {
    const { node, body } = call
    const name = nameAt(body, 16)
    const path = nodes.childPath(node, name)
    const mode = body.readUInt32LE(4)
    const flags = passedFlags(body.readUInt32LE(0)) | constants.O_NOFOLLOW
    const fd = openNew(call, path, flags, mode) ?? openSync(path, flags)
    const stats = fstatSync(fd, { bigint: true })
    const made = nodes.meet(node, name, stats)
    made.open.add(fd)
    return writeOpened(entryAnswer(made.id, stats, 16), OUT_HEADER + 128, fd, volume.openFlags())
  }

  return {
    [Opcode.LOOKUP]: {
      method: 'lookup',
      attributesAt: ENTRY_ATTRIBUTES,
      names: ({ body }) => [nameAt(body, 0)],
      run: (call) => entry(call, nameAt(call.body, 0)),
    },
    [Opcode.MKNOD]: making('mknod', 16, ({ body }, path) => {
      fileCalls.mknod(path, body.readUInt32LE(0), body.readUInt32LE(4))
      return body.readUInt32LE(0)
    }),
    [Opcode.MKDIR]: making('mkdir', 8, ({ body }, path) => {
      mkdirSync(path, body.readUInt32LE(0) & 0o7777)
      return 0o040000
    }),
    [Opcode.SYMLINK]: making('symlink', 0, ({ body }, path) => {
      symlinkSync(Buffer.from(namesIn(body, 0)[1] ?? '', 'latin1'), path)
      return 0o120000
    }),
    [Opcode.LINK]: {
      method: 'link',
      attributesAt: ENTRY_ATTRIBUTES,
      names: ({ body }) => [nameAt(body, 8)],
      run(call) {
        const name = nameAt(call.body, 8)
        const { place } = nodes.find(nodes.get(u64(call.body, 0)))
        if (typeof place === 'number') throw new FileError('ENOENT')
        linkSync(place, nodes.childPath(call.node, name))
        return entry(call, name)
      },
    },
    [Opcode.UNLINK]: removing('unlink', unlinkSync),
    [Opcode.RMDIR]: removing('rmdir', (path) => rmdirSync(path)),
    [Opcode.RENAME]: renaming(8, () => 0),
    [Opcode.RENAME2]: renaming(16, (body) => body.readUInt32LE(8)),
    [Opcode.CREATE]: {
      method: 'create',
      attributesAt: ENTRY_ATTRIBUTES,
      names: ({ body }) => [nameAt(body, 16)],
      run: create,
    },
  }
}

/** Handles requests that look up, create, move and remove names in folders. */
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
import { fileCalls } from '#machine/linux'
import { passedFlags } from './file-operations.ts'
import { FileError, type Nodes } from './nodes.ts'
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

const toEntry = (nodes: Nodes, { node }: Call, name: string): Buffer => {
  const stats = lstatSync(nodes.childPath(node, name), { bigint: true })
  return entryAnswer(nodes.lookUp(node, name, stats).id, stats)
}

/** Sets the owner of a new file to the caller; a set-group-id folder passes on its group. */
const setOwner = (nodes: Nodes, { node, uid, gid }: Call, path: Buffer, mode: number): void => {
  const inherits = (nodes.find(node).stats.mode & 0o2000n) !== 0n
  lchownSync(path, uid, inherits ? -1 : gid)
  // A change of owner clears these bits.
  if ((mode & 0o6000) !== 0 && (mode & 0o170000) !== 0o040000) chmodSync(path, mode & 0o7777)
}

const createOperation = (
  nodes: Nodes,
  method: string,
  nameOffset: number,
  createFile: (call: Call, path: Buffer) => number,
): Operation => ({
  method,
  attributesAt: ENTRY_ATTRIBUTES,
  names: ({ body }) => [nameAt(body, nameOffset)],
  run(call) {
    const name = nameAt(call.body, nameOffset)
    const path = nodes.childPath(call.node, name)
    setOwner(nodes, call, path, createFile(call, path))
    return toEntry(nodes, call, name)
  },
})

const removeOperation = (nodes: Nodes, method: string, remove: (path: Buffer) => void): Operation => ({
  method,
  names: ({ body }) => [nameAt(body, 0)],
  run({ node, body }) {
    const name = nameAt(body, 0)
    const child = nodes.findByName(node, name)
    remove(nodes.childPath(node, name))
    if (child !== undefined) nodes.dropName(node, name, child)
    return emptyAnswer()
  },
})

const renameOperation = (
  nodes: Nodes,
  namesOffset: number,
  flagsOf: (body: Buffer) => number,
): Operation => ({
  method: 'rename',
  names: ({ body }) => namesIn(body, namesOffset).slice(0, 1),
  otherNames: ({ body }) => [{ nodeId: u64(body, 0), name: namesIn(body, namesOffset)[1] ?? '' }],
  run({ node, body }) {
    const [from = '', to = ''] = namesIn(body, namesOffset)
    const target = nodes.get(u64(body, 0))
    const flags = flagsOf(body)
    const [moved, replaced] = [nodes.findByName(node, from), nodes.findByName(target, to)]
    fileCalls.rename(nodes.childPath(node, from), nodes.childPath(target, to), flags)
    // If both are names of one file, rename(2) does nothing.
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

/** Returns undefined if the file was created in the meantime and the caller did not specify O_EXCL. */
const openNew = (
  nodes: Nodes,
  call: Call,
  path: Buffer,
  { flags, mode }: { flags: number; mode: number },
): number | undefined => {
  let fd: number
  try {
    fd = openSync(path, flags | constants.O_CREAT | constants.O_EXCL, mode & 0o7777)
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST'
    if (exists && (call.body.readUInt32LE(0) & constants.O_EXCL) === 0) return undefined
    throw error
  }
  setOwner(nodes, call, path, mode)
  return fd
}

const create = ({ nodes, openFlags }: Volume, call: Call): Buffer => {
  const { node, body } = call
  const name = nameAt(body, 16)
  const path = nodes.childPath(node, name)
  const mode = body.readUInt32LE(4)
  const flags = passedFlags(body.readUInt32LE(0)) | constants.O_NOFOLLOW
  const fd = openNew(nodes, call, path, { flags, mode }) ?? openSync(path, flags)
  const stats = fstatSync(fd, { bigint: true })
  const created = nodes.lookUp(node, name, stats)
  created.open.add(fd)
  return writeOpened(entryAnswer(created.id, stats, 16), OUT_HEADER + 128, fd, openFlags())
}

export const nameOperations = (volume: Volume): Operations => {
  const { nodes } = volume
  return {
    [Opcode.LOOKUP]: {
      method: 'lookup',
      attributesAt: ENTRY_ATTRIBUTES,
      names: ({ body }) => [nameAt(body, 0)],
      run: (call) => toEntry(nodes, call, nameAt(call.body, 0)),
    },
    [Opcode.MKNOD]: createOperation(nodes, 'mknod', 16, ({ body }, path) => {
      fileCalls.mknod(path, body.readUInt32LE(0), body.readUInt32LE(4))
      return body.readUInt32LE(0)
    }),
    [Opcode.MKDIR]: createOperation(nodes, 'mkdir', 8, ({ body }, path) => {
      mkdirSync(path, body.readUInt32LE(0) & 0o7777)
      return 0o040000
    }),
    [Opcode.SYMLINK]: createOperation(nodes, 'symlink', 0, ({ body }, path) => {
      symlinkSync(Buffer.from(namesIn(body, 0)[1] ?? '', 'latin1'), path)
      return 0o120000
    }),
    [Opcode.LINK]: {
      method: 'link',
      attributesAt: ENTRY_ATTRIBUTES,
      names: ({ body }) => [nameAt(body, 8)],
      run(call) {
        const name = nameAt(call.body, 8)
        const { location } = nodes.find(nodes.get(u64(call.body, 0)))
        if (typeof location === 'number') throw new FileError('ENOENT')
        linkSync(location, nodes.childPath(call.node, name))
        return toEntry(nodes, call, name)
      },
    },
    [Opcode.UNLINK]: removeOperation(nodes, 'unlink', unlinkSync),
    [Opcode.RMDIR]: removeOperation(nodes, 'rmdir', (path) => rmdirSync(path)),
    [Opcode.RENAME]: renameOperation(nodes, 8, () => 0),
    [Opcode.RENAME2]: renameOperation(nodes, 16, (body) => body.readUInt32LE(8)),
    [Opcode.CREATE]: {
      method: 'create',
      attributesAt: ENTRY_ATTRIBUTES,
      names: ({ body }) => [nameAt(body, 16)],
      run: (call) => create(volume, call),
    },
  }
}

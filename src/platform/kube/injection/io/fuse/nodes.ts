/** Maps the kernel's FUSE node IDs to files of the folder that is served. */
import { type BigIntStats, fstatSync, lstatSync } from 'node:fs'
import { constants } from 'node:os'

export const ROOT_ID = 1
const FILE_TYPE_MASK = 0o170000n

interface Link {
  parent: Node
  /** In Latin-1, which preserves every byte. */
  name: string
}

export interface Node {
  readonly id: number
  readonly key: string
  /** The birth time, which distinguishes files that reuse an inode number. */
  readonly createdAt: bigint
  /** The number of lookups that the kernel has not forgotten. */
  lookups: number
  /** Its names, the most recent last; empty once the file has been removed. */
  links: Link[]
  /** Its open descriptors, by which a file without a name is accessed. */
  readonly open: Set<number>
  /** Its last known path. */
  lastPath: string
}

/** A path below the served folder, or a descriptor of a file without a path. */
export type FileLocation = Buffer | number

export class FileError extends Error {
  readonly errno: number
  constructor(code: keyof typeof constants.errno) {
    super(code)
    this.errno = constants.errno[code]
  }
}

const toKey = (stats: BigIntStats): string => `${stats.dev}:${stats.ino}:${stats.mode & FILE_TYPE_MASK}`

const join = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`)

const createNode = (id: number, stats: BigIntStats): Node => ({
  id,
  key: toKey(stats),
  createdAt: stats.birthtimeNs,
  lookups: 0,
  links: [],
  open: new Set(),
  lastPath: '/',
})

const pathOf = (node: Node): string => {
  const link = node.links.at(-1)
  if (link !== undefined) node.lastPath = join(pathOf(link.parent), link.name)
  return node.lastPath
}

const isSameFile = (node: Node, stats: BigIntStats): boolean =>
  node.key === toKey(stats) && node.createdAt === stats.birthtimeNs

const dropName = (parent: Node, name: string, node: Node): void => {
  pathOf(node)
  node.links = node.links.filter((link) => link.parent !== parent || link.name !== name)
}

/** The root of the process must be the folder that is served. */
export const createNodes = () => {
  const rootStats = lstatSync('/', { bigint: true })
  const root = createNode(ROOT_ID, rootStats)
  const byId = new Map([[ROOT_ID, root]])
  const byKey = new Map([[root.key, root]])
  let lastId = ROOT_ID

  /** Returns the location and attributes of a node. Drops names that now refer to another file. */
  const find = (node: Node): { location: FileLocation; stats: BigIntStats } => {
    for (;;) {
      const path = Buffer.from(pathOf(node), 'latin1')
      if (node === root) return { location: path, stats: lstatSync(path, { bigint: true }) }
      if (node.links.length === 0) break
      const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
      if (stats !== undefined && isSameFile(node, stats)) return { location: path, stats }
      node.links.pop()
    }
    for (const fd of node.open) return { location: fd, stats: fstatSync(fd, { bigint: true }) }
    throw new FileError('ESTALE')
  }

  /** Returns the node with this name; undefined if the kernel has not looked it up. */
  const findByName = (parent: Node, name: string): Node | undefined => {
    const path = Buffer.from(join(pathOf(parent), name), 'latin1')
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    const node = stats === undefined ? undefined : byKey.get(toKey(stats))
    return node !== undefined && stats !== undefined && isSameFile(node, stats) ? node : undefined
  }

  return {
    get(id: number): Node {
      const node = byId.get(id)
      if (node === undefined) throw new FileError('ESTALE')
      return node
    },
    pathOf,
    find,
    findByName,
    childPath: (parent: Node, name: string): Buffer => Buffer.from(join(pathOf(parent), name), 'latin1'),
    /** Finds or creates the node of a file, and counts a lookup by the kernel. */
    lookUp(parent: Node, name: string, stats: BigIntStats): Node {
      let node = byKey.get(toKey(stats))
      if (node === undefined || !isSameFile(node, stats)) {
        lastId += 1
        node = createNode(lastId, stats)
        byId.set(node.id, node)
        byKey.set(node.key, node)
      }
      node.lookups += 1
      if (node !== root) {
        dropName(parent, name, node)
        node.links.push({ parent, name })
      }
      return node
    },
    forget(id: number, count: number): void {
      const node = byId.get(id)
      if (node === undefined || node === root) return
      node.lookups -= count
      if (node.lookups > 0) return
      byId.delete(id)
      if (byKey.get(node.key) === node) byKey.delete(node.key)
    },
    dropName,
    addName(parent: Node, name: string, node: Node): void {
      node.links.push({ parent, name })
    },
  }
}

export type Nodes = ReturnType<typeof createNodes>

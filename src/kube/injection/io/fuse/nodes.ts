/** The files that the kernel knows by a number of ours, and where each of them lies in the folder. */
import { type BigIntStats, fstatSync, lstatSync } from 'node:fs'
import { constants } from 'node:os'

export const ROOT_ID = 1
const TYPE = 0o170000n

interface Link {
  parent: Node
  /** In Latin-1, byte for byte. */
  name: string
}

export interface Node {
  readonly id: number
  readonly key: string
  /** Tells a file from a later one that got its inode number. */
  readonly born: bigint
  /** How many times the kernel has been told of it and has not forgotten it. */
  lookups: number
  /** Its names, the freshest last. None once it is removed. */
  links: Link[]
  /** Descriptors by which it is open: what is left of it when it has no name. */
  readonly open: Set<number>
  /** Where it was when it last had a name. */
  lastPath: string
}

/** A path below the folder, or a descriptor of a file that has no path any more. */
export type Place = Buffer | number

export class FileError extends Error {
  readonly errno: number
  constructor(code: keyof typeof constants.errno) {
    super(code)
    this.errno = constants.errno[code]
  }
}

const toKey = (stats: BigIntStats): string => `${stats.dev}:${stats.ino}:${stats.mode & TYPE}`

const join = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`)

/** `root` is at `/`, because the process has made the folder its root. */
export const createNodes = () => {
  const top = lstatSync('/', { bigint: true })
  const make = (id: number, stats: BigIntStats): Node => ({
    id,
    key: toKey(stats),
    born: stats.birthtimeNs,
    lookups: 0,
    links: [],
    open: new Set(),
    lastPath: '/',
  })
  const root = make(ROOT_ID, top)
  const byId = new Map([[ROOT_ID, root]])
  const byKey = new Map([[root.key, root]])
  let lastId = ROOT_ID

  const pathOf = (node: Node): string => {
    const link = node.links.at(-1)
    if (link !== undefined) node.lastPath = join(pathOf(link.parent), link.name)
    return node.lastPath
  }

  const isSame = (node: Node, stats: BigIntStats): boolean =>
    node.key === toKey(stats) && node.born === stats.birthtimeNs

  /** Its attributes and where they were found. Forgets names at which another file lies by now. */
  const find = (node: Node): { place: Place; stats: BigIntStats } => {
    for (;;) {
      const path = Buffer.from(pathOf(node), 'latin1')
      if (node === root) return { place: path, stats: lstatSync(path, { bigint: true }) }
      if (node.links.length === 0) break
      const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
      if (stats !== undefined && isSame(node, stats)) return { place: path, stats }
      node.links.pop()
    }
    for (const fd of node.open) return { place: fd, stats: fstatSync(fd, { bigint: true }) }
    throw new FileError('ESTALE')
  }

  const dropName = (parent: Node, name: string, node: Node): void => {
    pathOf(node)
    node.links = node.links.filter((link) => link.parent !== parent || link.name !== name)
  }

  /** The node with this name, as far as the kernel knows it. */
  const named = (parent: Node, name: string): Node | undefined => {
    const path = Buffer.from(join(pathOf(parent), name), 'latin1')
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    const node = stats === undefined ? undefined : byKey.get(toKey(stats))
    return node !== undefined && stats !== undefined && isSame(node, stats) ? node : undefined
  }

  return {
    get(id: number): Node {
      const node = byId.get(id)
      if (node === undefined) throw new FileError('ESTALE')
      return node
    },
    pathOf,
    find,
    named,
    childPath: (parent: Node, name: string): Buffer => Buffer.from(join(pathOf(parent), name), 'latin1'),
    /** Counts one more lookup by the kernel of the file that has this name. */
    meet(parent: Node, name: string, stats: BigIntStats): Node {
      let node = byKey.get(toKey(stats))
      if (node === undefined || !isSame(node, stats)) {
        lastId += 1
        node = make(lastId, stats)
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

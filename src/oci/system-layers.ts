/**
 * What lies below every container of a node: a skeleton of a root filesystem, and a layer over the host's /usr
 * that hides what is the host's own affair. Both are made once, in memory, and nothing ever writes to them.
 */
import { chmodSync, lstatSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checked, libc, makeMemoryFolder } from '../linux/index.ts'
import { makeEtc } from './etc-files.ts'

/** Where a container finds the Node that runs the engine, and the programs of ours. */
export const PROGRAM_FOLDER = '/opt/remedium'

export interface SystemLayers {
  /** All of it. */
  folder: string
  /** The skeleton. */
  root: string
  /** An empty folder. */
  empty: string
  /** Folders of the host that containers see through a layer of their own: `usr`, and others where they exist. */
  overlays: readonly { name: string; lower: string }[]
}

const PLAIN = [
  ...['home', 'media', 'mnt', 'opt', 'srv', 'proc', 'sys', 'dev', 'run', 'var/log', 'var/lib', 'var/cache'],
  ...['var/spool', 'var/www'],
]
const SYSTEM = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']
const LOCAL = ['bin', 'etc', 'include', 'lib', 'sbin', 'share']
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

/** A folder of this layer shows nothing of those below it. */
const hideBelow = (path: string): void => {
  const yes = Buffer.from('y')
  checked('setxattr', libc.setxattr(path, 'trusted.overlay.opaque', yes, yes.length, 0))
}

const makeFolders = (root: string): void => {
  for (const name of [...PLAIN, `${PROGRAM_FOLDER}/bin`]) mkdirSync(join(root, name), { recursive: true })
  for (const name of ['tmp', 'var/tmp']) {
    mkdirSync(join(root, name))
    chmodSync(join(root, name), 0o1777)
  }
  mkdirSync(join(root, 'root'), { mode: 0o700 })
  symlinkSync('../run', join(root, 'var/run'))
  writeFileSync(join(root, PROGRAM_FOLDER, 'bin/node'), '')
}

/** Programs that somebody put there by hand, sources, and on some machines the repository or the cluster. */
const makeCover = (cover: string, clusterFolder: string): void => {
  for (const path of ['/usr/local', '/usr/src', REPOSITORY, clusterFolder]) {
    const isThere = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    if (!path.startsWith('/usr/') || !isThere) continue
    const hidden = join(cover, path.slice('/usr/'.length))
    mkdirSync(hidden, { recursive: true })
    hideBelow(hidden)
  }
  for (const name of LOCAL) mkdirSync(join(cover, 'local', name), { recursive: true })
}

/** `clusterFolder` is the cluster's own; throws where the machine lacks what is needed. */
export const makeSystemLayers = (clusterFolder: string, nodeName: string): SystemLayers => {
  // Other users of the machine have no business with secrets in it, nor with devices and such that pods make there.
  const folder = join(makeMemoryFolder(clusterFolder), 'nodes', nodeName)
  const root = join(folder, 'root')
  const empty = join(folder, 'empty')
  const cover = join(folder, 'usr')
  // Everybody may look into system folders, whatever the mask of this process says.
  const mask = process.umask(0o022)
  try {
    for (const path of [root, empty, cover]) mkdirSync(path, { recursive: true })
    makeFolders(root)
    makeEtc(root)
    makeCover(cover, clusterFolder)
  } finally {
    process.umask(mask)
  }
  const overlays: { name: string; lower: string }[] = []
  for (const name of SYSTEM) {
    const found = lstatSync(`/${name}`, { throwIfNoEntry: false })
    if (found?.isSymbolicLink() === true) symlinkSync(readlinkSync(`/${name}`), join(root, name))
    if (found?.isDirectory() !== true) continue
    mkdirSync(join(root, name))
    overlays.push({ name, lower: name === 'usr' ? `${cover}:/usr` : `/${name}` })
  }
  return { folder, root, empty, overlays }
}

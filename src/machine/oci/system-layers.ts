/**
 * The lower layers of all containers of a node: a skeleton of a root filesystem, and a layer over the host's /usr that
 * hides local files. Both are created once, in memory, and never written to.
 */
import { chmodSync, lstatSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '#kit'
import { checked, createMemoryFolder, libc } from '#machine/linux'
import { createEtc } from './etc-files.ts'

/** The folder in a container with the engine's Node and the programs of Remedium. */
export const PROGRAM_FOLDER = '/opt/remedium'

export interface SystemLayers {
  /** Contains all layers. */
  folder: string
  /** The skeleton of a root filesystem. */
  root: string
  /** An empty folder. */
  empty: string
  /** Folders of the host that are overlaid: `usr`, and others if they exist. */
  overlays: readonly { name: string; lower: string }[]
}

const EMPTY_FOLDERS = [
  ...['home', 'media', 'mnt', 'opt', 'srv', 'proc', 'sys', 'dev', 'run', 'var/log', 'var/lib', 'var/cache'],
  ...['var/spool', 'var/www'],
]
const SYSTEM_FOLDERS = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']
const LOCAL_FOLDERS = ['bin', 'etc', 'include', 'lib', 'sbin', 'share']

/** Hides the content of the lower layers. */
const hideBelow = (path: string): void => {
  const opaque = Buffer.from('y')
  checked('setxattr', libc.setxattr(path, 'trusted.overlay.opaque', opaque, opaque.length, 0))
}

const createFolders = (root: string): void => {
  for (const name of [...EMPTY_FOLDERS, `${PROGRAM_FOLDER}/bin`])
    mkdirSync(join(root, name), { recursive: true })
  for (const name of ['tmp', 'var/tmp']) {
    mkdirSync(join(root, name))
    chmodSync(join(root, name), 0o1777)
  }
  mkdirSync(join(root, 'root'), { mode: 0o700 })
  symlinkSync('../run', join(root, 'var/run'))
  writeFileSync(join(root, PROGRAM_FOLDER, 'bin/node'), '')
}

/** Hides /usr/local and /usr/src, and also the repository and the folder of the cluster if they are below /usr. */
const createHidingLayer = (layer: string, clusterFolder: string): void => {
  for (const path of ['/usr/local', '/usr/src', REPOSITORY, clusterFolder]) {
    const exists = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    if (!path.startsWith('/usr/') || !exists) continue
    const hidden = join(layer, path.slice('/usr/'.length))
    mkdirSync(hidden, { recursive: true })
    hideBelow(hidden)
  }
  for (const name of LOCAL_FOLDERS) mkdirSync(join(layer, 'local', name), { recursive: true })
}

/** Throws if the machine does not permit these layers. */
export const createSystemLayers = (clusterFolder: string, nodeName: string): SystemLayers => {
  // Not accessible to other users, because it may contain secrets and device files of pods.
  const folder = join(createMemoryFolder(clusterFolder), 'nodes', nodeName)
  const root = join(folder, 'root')
  const empty = join(folder, 'empty')
  const hidingLayer = join(folder, 'usr')
  // System folders must be readable for all users, regardless of the umask of this process.
  const mask = process.umask(0o022)
  try {
    for (const path of [root, empty, hidingLayer]) mkdirSync(path, { recursive: true })
    createFolders(root)
    createEtc(root)
    createHidingLayer(hidingLayer, clusterFolder)
  } finally {
    process.umask(mask)
  }
  const overlays: { name: string; lower: string }[] = []
  for (const name of SYSTEM_FOLDERS) {
    const found = lstatSync(`/${name}`, { throwIfNoEntry: false })
    if (found?.isSymbolicLink() === true) symlinkSync(readlinkSync(`/${name}`), join(root, name))
    if (found?.isDirectory() !== true) continue
    mkdirSync(join(root, name))
    overlays.push({ name, lower: name === 'usr' ? `${hidingLayer}:/usr` : `/${name}` })
  }
  return { folder, root, empty, overlays }
}

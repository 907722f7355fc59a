/** Where the parts of a cluster lie on this machine: below its folder, and in memory what asks for memory. */
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { memoryFolderOf } from '../../../linux/index.ts'
import { pathInside } from './path-inside.ts'

const OVERLAY_MAGIC = 0x794c7630

/** What is kept of one pod on disk: logs and volumes. */
export const podFolder = (folder: string, uid: string): string => join(folder, 'pods', uid)

/** What is kept of one pod in memory: small files for its containers, and volumes that ask for it. */
export const podMemoryFolder = (folder: string, uid: string): string =>
  join(memoryFolderOf(folder), 'pods', uid)

/** Where the OCI runtime program keeps what it knows. */
export const stateFolderOf = (folder: string): string => join(memoryFolderOf(folder), 'state')

/** The disk of a node, as volumes of type hostPath see it. */
export const nodeDisk = (folder: string, node: string): string => join(folder, 'disk', 'nodes', node)

/** In it lie the folders of all PersistentVolumes. */
export const claimsFolder = (folder: string): string => join(folder, 'disk', 'claims')

/** The folder of a PersistentVolume, by the path that it names: remove it when the volume goes. */
export const claimFolder = (folder: string, path: string): string => pathInside(claimsFolder(folder), path)

/**
 * Where the writable layer of a container can lie: an overlay cannot have its upper part on another overlay,
 * as the root of many machines is that are containers themselves; there it lies in memory.
 */
export const layerFolder = (folder: string, id: string): string =>
  join(statfsSync(folder).type === OVERLAY_MAGIC ? memoryFolderOf(folder) : folder, 'layers', id)

/** Those in which all nodes of the cluster keep something, from the innermost out. */
export const sharedFolders = (folder: string): readonly string[] => [
  ...['pods', 'layers', 'disk/nodes', 'disk'].map((name) => join(folder, name)),
  ...['pods', 'layers', 'nodes', 'state', '.'].map((name) => join(memoryFolderOf(folder), name)),
]

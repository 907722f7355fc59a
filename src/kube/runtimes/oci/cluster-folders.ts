/** Where the parts of a cluster lie on this machine: below its folder, and in memory what asks for memory. */
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { memoryFolderOf } from '../../../linux/index.ts'
import { pathInside } from './path-inside.ts'

const OVERLAY_MAGIC = 0x794c7630

/** What is kept of one pod. */
export const podFolder = (folder: string, uid: string): string => join(folder, 'pods', uid)

/** The volumes of a pod that lie in memory. */
export const podMemoryFolder = (folder: string, uid: string): string =>
  join(memoryFolderOf(folder), 'pods', uid)

/** The disk of a node, as volumes of type hostPath see it. */
export const nodeDisk = (folder: string, node: string): string => join(folder, 'disk', 'nodes', node)

/** The folder of a PersistentVolume, by the path that it names: remove it when the volume goes. */
export const claimFolder = (folder: string, path: string): string =>
  pathInside(join(folder, 'disk', 'claims'), path)

/**
 * Where the writable layer of a container can lie: an overlay cannot have its upper part on another overlay,
 * as the root of many machines is that are containers themselves; there it lies in memory.
 */
export const layerFolder = (folder: string, containerFolder: string): string =>
  statfsSync(folder).type === OVERLAY_MAGIC
    ? join(memoryFolderOf(folder), 'layers', containerFolder.slice(folder.length))
    : join(containerFolder, 'layers')

/** Those in which all nodes of the cluster keep something, from the innermost out. */
export const sharedFolders = (folder: string): readonly string[] => [
  join(folder, 'pods'),
  join(folder, 'disk', 'nodes'),
  join(folder, 'disk'),
  join(memoryFolderOf(folder), 'layers', 'pods'),
  join(memoryFolderOf(folder), 'layers'),
  join(memoryFolderOf(folder), 'pods'),
  join(memoryFolderOf(folder), 'nodes'),
  memoryFolderOf(folder),
]

/** Where the parts of a cluster lie on this machine: below its folder, and in memory what asks for memory. */
import { createHash } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathInside } from './path-inside.ts'

const OVERLAY_MAGIC = 0x794c7630

/** What the cluster keeps in memory: volumes of that medium. Its name is as unique as the cluster's folder. */
export const memoryFolder = (folder: string): string => {
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 8)
  return `/dev/shm/remedium-${basename(folder)}-${digest}`
}

/** What is kept of one pod. */
export const podFolder = (folder: string, uid: string): string => join(folder, 'pods', uid)

/** The volumes of a pod that lie in memory. */
export const podMemoryFolder = (folder: string, uid: string): string =>
  join(memoryFolder(folder), 'pods', uid)

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
    ? join(memoryFolder(folder), 'layers', containerFolder.slice(folder.length))
    : join(containerFolder, 'layers')

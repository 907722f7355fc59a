/** The paths of a cluster's files on disk and in memory. */
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { memoryFolderOf } from '#machine/linux'
import { pathInside } from '../volumes/path-inside.ts'

const OVERLAY_MAGIC = 0x794c7630

/** The files of one pod on disk: logs and volumes. */
export const podFolder = (folder: string, uid: string): string => join(folder, 'pods', uid)

/** The files of one pod in memory: small files of its containers, and volumes with medium Memory. */
export const podMemoryFolder = (folder: string, uid: string): string =>
  join(memoryFolderOf(folder), 'pods', uid)

/** The state folder of the OCI runtime program. */
export const stateFolderOf = (folder: string): string => join(memoryFolderOf(folder), 'state')

/** The root of hostPath volumes on a node. */
export const nodeDisk = (folder: string, node: string): string => join(folder, 'disk', 'nodes', node)

/** The parent of the folders of all PersistentVolumes. */
export const claimsFolder = (folder: string): string => join(folder, 'disk', 'claims')

/** The folder of the PersistentVolume with this path; the caller removes it with the volume. */
export const claimFolder = (folder: string, path: string): string => pathInside(claimsFolder(folder), path)

/**
 * The folder of a container's writable layer. An overlay's upper layer cannot be on another overlay, such as the root
 * of a machine that is itself a container; there, the layer is in memory.
 */
export const layerFolder = (folder: string, id: string): string =>
  join(statfsSync(folder).type === OVERLAY_MAGIC ? memoryFolderOf(folder) : folder, 'layers', id)

/** The folders that all nodes of the cluster share, innermost first. */
export const sharedFolders = (folder: string): readonly string[] => [
  ...['pods', 'layers', 'disk/nodes', 'disk'].map((name) => join(folder, name)),
  ...['pods', 'layers', 'nodes', 'state', '.'].map((name) => join(memoryFolderOf(folder), name)),
]

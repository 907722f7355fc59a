/** Removes the folders of simulated clusters, which are all that a simulated cluster leaves on the machine. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { type ClusterFolder, draftPrefix, listClusterFolders, listDrafts } from './cluster-folder.ts'
import { removeOutsideFile } from './outside-file.ts'
import { clustersFolder, withStateLock } from './state-folder.ts'

/** Renames atomically, so that the folder is pruned if this process is killed. Concurrent calls are safe. */
export const moveClusterFolderAside = (folder: string, target: string): void => {
  try {
    renameSync(folder, target)
  } catch (error) {
    // Another process removes the folder.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

export const removeClusterFolder = (state: string, { folder, record }: ClusterFolder): void => {
  removeOutsideFile(folder)
  const target = `${draftPrefix(state)}${record.id}`
  withStateLock(state, () => {
    moveClusterFolderAside(folder, target)
    rmSync(target, { recursive: true, force: true })
  })
}

/** Removes what simulated clusters have left whose process was killed; returns their names. */
export const pruneSimulatedClusters = (state: string): string[] => {
  const abandoned = listClusterFolders(state).filter(({ alive, record }) => !alive && record.engine === 'sim')
  for (const one of abandoned) removeClusterFolder(state, one)
  return abandoned.map(({ record }) => record.name)
}

/** Removes folders that were never claimed, too. For machines on which only simulated clusters can run. */
export const pruneClusterFolders = (state: string): string[] => {
  const removed = pruneSimulatedClusters(state)
  for (const path of listDrafts(state)) rmSync(path, { recursive: true, force: true })
  // Removes the folder of clusters if it is empty.
  if (existsSync(clustersFolder(state))) withStateLock(state, () => {})
  return removed
}

/** Removes the remains of clusters whose engine was killed. */
import { existsSync } from 'node:fs'
import type { Clock } from '#kit'
import { removeTree } from '#machine/linux'
import { listClusterFolders, listDrafts } from './cluster-folder.ts'
import { removeCluster, removeTopGroup } from './remove-cluster.ts'
import { clustersFolder, withStateLock } from './state-folder.ts'

export interface PruneReport {
  /** Names of the clusters that were removed. */
  readonly removed: readonly string[]
}

export const pruneClusters = async (state: string, clock: Clock): Promise<PruneReport> => {
  const left = listClusterFolders(state).filter(({ alive }) => !alive)
  for (const { folder, record } of left) await removeCluster(state, { folder, id: record.id, clock })
  for (const path of listDrafts(state)) await removeTree(path)
  // A process that was killed may have left an empty folder of clusters.
  if (existsSync(clustersFolder(state))) withStateLock(state, removeTopGroup)
  return { removed: left.map(({ record }) => record.name) }
}

/** Removes the remains of clusters whose engine was killed. */
import { existsSync } from 'node:fs'
import type { Clock } from '#kit'
import { removeTree } from '#machine/linux'
import {
  clustersFolder,
  listClusterFolders,
  listDrafts,
  pruneSimulatedClusters,
  withStateLock,
} from '#platform/engines/folders'
import { removeCluster, removeTopGroup } from './remove-cluster.ts'

export interface PruneReport {
  /** Names of the clusters that were removed. */
  readonly removed: readonly string[]
}

export const pruneClusters = async (state: string, clock: Clock): Promise<PruneReport> => {
  const simulated = pruneSimulatedClusters(state)
  const abandoned = listClusterFolders(state).filter(({ alive }) => !alive)
  for (const { folder, record } of abandoned) await removeCluster(state, { folder, id: record.id, clock })
  for (const path of listDrafts(state)) await removeTree(path)
  // A process that was killed may have left an empty folder of clusters.
  if (existsSync(clustersFolder(state))) withStateLock(state, removeTopGroup)
  return { removed: [...simulated, ...abandoned.map(({ record }) => record.name)] }
}

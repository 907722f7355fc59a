/** Removes what clusters left whose engine was killed, and nothing of anybody else's. */
import { existsSync } from 'node:fs'
import type { Clock } from '../../../kit/index.ts'
import { removeTree } from '../../../linux/index.ts'
import { listClusterFolders, listHalfMade } from './cluster-folder.ts'
import { removeCluster, removeTopGroup } from './remove-cluster.ts'
import { clustersFolder, whileStateLocked } from './state-folder.ts'

export interface PruneReport {
  /** Names of the clusters that were removed. */
  readonly removed: readonly string[]
}

export const pruneClusters = async (state: string, clock: Clock): Promise<PruneReport> => {
  const left = listClusterFolders(state).filter(({ alive }) => !alive)
  for (const { folder, record } of left) await removeCluster(state, { folder, id: record.id, clock })
  for (const path of listHalfMade(state)) await removeTree(path)
  // Whoever was killed between two steps may have left what holds clusters, empty.
  if (existsSync(clustersFolder(state))) whileStateLocked(state, removeTopGroup)
  return { removed: left.map(({ record }) => record.name) }
}

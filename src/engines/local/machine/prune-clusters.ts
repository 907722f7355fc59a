/** Removes what clusters left whose engine was killed, and nothing of anybody else's. */
import type { Clock } from '../../../kit/index.ts'
import { removeTree } from '../../../linux/index.ts'
import { listClusterFolders, listHalfMade } from './cluster-folder.ts'
import { removeCluster } from './remove-cluster.ts'
import { whileStateLocked } from './state-folder.ts'

export interface PruneReport {
  /** Names of the clusters that were removed. */
  readonly removed: readonly string[]
}

export const pruneClusters = async (state: string, clock: Clock): Promise<PruneReport> => {
  const left = listClusterFolders(state).filter(({ alive }) => !alive)
  for (const { folder, record } of left) await removeCluster(state, { folder, id: record.id, clock })
  const halfMade = listHalfMade(state)
  for (const path of halfMade) await removeTree(path)
  if (halfMade.length > 0) whileStateLocked(state, () => {})
  return { removed: left.map(({ record }) => record.name) }
}

/** Removes what clusters left whose engine was killed, and nothing of anybody else's. */
import { rmSync } from 'node:fs'
import type { Clock } from '../../../kit/index.ts'
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
  if (left.length > 0 || listHalfMade(state).length > 0)
    whileStateLocked(state, () => {
      for (const path of listHalfMade(state)) rmSync(path, { recursive: true, force: true })
    })
  return { removed: left.map(({ record }) => record.name) }
}

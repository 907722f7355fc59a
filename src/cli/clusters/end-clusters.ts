/** Ends clusters of other processes: by asking, and where that is of no use, by force. */
import {
  type ClusterFolder,
  isNumberedHere,
  listClusterFolders,
  pruneClusters,
  stateFolder,
} from '../../engines/local/machine/index.ts'
import { createRealClock } from '../../kit/index.ts'
import { RemediumError } from '../../spec/index.ts'
import { askCluster, hasControl } from './control-socket.ts'
import { findCluster } from './find-clusters.ts'
import { untilEnded } from './until-ended.ts'

const PATIENCE_MS = 30_000
const LAST_MOMENTS_MS = 2000

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It has just ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const endOne = async ({ folder, record, alive }: ClusterFolder): Promise<void> => {
  if (!alive) return
  const asked = await askCluster(folder, { command: 'down' }, PATIENCE_MS).then(
    () => true,
    () => false,
  )
  if ((await untilEnded(record.owner, asked ? LAST_MOMENTS_MS : 0)) || asked) return
  if (!isNumberedHere(record.owner)) {
    throw new RemediumError('cluster-lost', `The cluster "${record.name}" does not answer.`, {
      hint: 'Its process was started in another container: end it there.',
    })
  }
  kill(record.owner.pid)
  await untilEnded(record.owner, PATIENCE_MS)
}

/** Names of those that were ended; all that take commands where none are named. */
export const endClusters = async (names: readonly string[] | undefined): Promise<string[]> => {
  const clusters =
    names === undefined
      ? listClusterFolders(stateFolder()).filter(({ alive, folder }) => alive && hasControl(folder))
      : names.map(findCluster)
  await Promise.all(clusters.map(endOne))
  await pruneClusters(stateFolder(), createRealClock({ keepsAlive: true }))
  return clusters.map(({ record }) => record.name)
}

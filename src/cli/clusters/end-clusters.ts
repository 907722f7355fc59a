/** Ends clusters of other processes: by asking, and where that is of no use, by force. */
import {
  type ClusterFolder,
  isAlive,
  isNumberedHere,
  listClusterFolders,
  pruneClusters,
  stateFolder,
} from '../../engines/local/machine/index.ts'
import { createRealClock, sleep } from '../../kit/index.ts'
import { RemediumError } from '../../spec/index.ts'
import { askCluster, hasControl } from './control-socket.ts'
import { findClusters } from './find-clusters.ts'

const PATIENCE_MS = 30_000
const LAST_MOMENTS_MS = 2000
const PAUSE_MS = 10

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It has just ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const endOne = async ({ folder, record }: ClusterFolder): Promise<void> => {
  const clock = createRealClock({ keepsAlive: true })
  const asked = await askCluster(folder, 'down', PATIENCE_MS).then(
    () => true,
    () => false,
  )
  const deadline = clock.now() + LAST_MOMENTS_MS
  while (asked && isAlive(record.owner) && clock.now() < deadline) await sleep(clock, PAUSE_MS)
  if (asked || !isAlive(record.owner)) return
  if (!isNumberedHere(record.owner)) {
    throw new RemediumError('not-ready', `The cluster "${record.name}" does not answer.`, {
      hint: 'Its process was started in another container: end it there.',
    })
  }
  kill(record.owner.pid)
  while (isAlive(record.owner)) await sleep(clock, PAUSE_MS)
}

/** Names of those that were ended; all that take commands where none are named. */
export const endClusters = async (names: readonly string[] | undefined): Promise<string[]> => {
  const clusters =
    names === undefined
      ? listClusterFolders(stateFolder()).filter(({ alive, folder }) => alive && hasControl(folder))
      : findClusters(names)
  await Promise.all(clusters.map(endOne))
  await pruneClusters(stateFolder(), createRealClock({ keepsAlive: true }))
  return clusters.map(({ record }) => record.name)
}

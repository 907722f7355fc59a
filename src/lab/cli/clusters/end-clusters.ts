/** Stops clusters of other processes: with a request, and by SIGKILL if that fails. */

import { cleanUp } from '#lab/workers'
import { isInThisPidNamespace } from '#machine/host'
import { type ClusterFolder, listClusterFolders, stateFolder } from '#platform/engines/folders'
import { RemediumError } from '#spec'
import { hasControlSocket, sendControlRequest } from './control-socket.ts'
import { findCluster } from './find-cluster.ts'
import { waitForExit } from './wait-for-exit.ts'

const STOP_TIMEOUT_MS = 30_000
const EXIT_TIMEOUT_MS = 2000

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // The process has just ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const stopCluster = async ({ folder, record, alive }: ClusterFolder): Promise<void> => {
  if (!alive) return
  const hasAnswered = await sendControlRequest(folder, { command: 'down' }, STOP_TIMEOUT_MS).then(
    () => true,
    () => false,
  )
  if ((await waitForExit(record.owner, hasAnswered ? EXIT_TIMEOUT_MS : 0)) || hasAnswered) return
  if (!isInThisPidNamespace(record.owner)) {
    throw new RemediumError('cluster-lost', `The cluster "${record.name}" does not answer.`, {
      hint: 'Its process runs in another container: stop it there.',
    })
  }
  kill(record.owner.pid)
  await waitForExit(record.owner, STOP_TIMEOUT_MS)
}

/** Returns the names of the stopped clusters. Without names, stops all clusters that accept requests. */
export const endClusters = async (names: readonly string[] | undefined): Promise<string[]> => {
  const clusters =
    names === undefined
      ? listClusterFolders(stateFolder()).filter(({ alive, folder }) => alive && hasControlSocket(folder))
      : names.map(findCluster)
  await Promise.all(clusters.map(stopCluster))
  await cleanUp()
  return clusters.map(({ record }) => record.name)
}

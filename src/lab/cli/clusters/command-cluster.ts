/** Sends a request to a cluster by name, and reports if its process has ended. */
import { RemediumError } from '#spec'
import { type ControlRequest, sendControlRequest } from './control-socket.ts'
import { findCluster } from './find-cluster.ts'
import { waitForExit } from './wait-for-exit.ts'

const EXIT_TIMEOUT_MS = 2000

/** Resolves to the cluster's answer. */
export const commandCluster = async (
  name: string,
  request: ControlRequest,
  timeoutMs: number,
): Promise<unknown> => {
  const { folder, record, alive } = findCluster(name)
  const toLostError = (cause?: unknown): RemediumError =>
    new RemediumError('cluster-lost', `The process of the cluster "${name}" has ended.`, {
      hint: 'Remove its leftovers with "remedium cluster prune".',
      cause,
    })
  if (!alive) throw toLostError()
  try {
    return await sendControlRequest(folder, request, timeoutMs)
  } catch (error) {
    const isLost = error instanceof RemediumError && error.code === 'cluster-lost'
    if (isLost && (await waitForExit(record.owner, EXIT_TIMEOUT_MS))) throw toLostError(error)
    throw error
  }
}

/** Gives a command to a cluster that the user names, and tells him when the process of that one is no more. */
import { RemediumError } from '../../spec/index.ts'
import { askCluster, type ControlRequest } from './control-socket.ts'
import { findCluster } from './find-clusters.ts'
import { untilEnded } from './until-ended.ts'

const LAST_MOMENTS_MS = 2000

/** What the cluster answers. */
export const commandCluster = async (
  name: string,
  request: ControlRequest,
  timeoutMs: number,
): Promise<unknown> => {
  const { folder, record, alive } = findCluster(name)
  const lost = (cause?: unknown): RemediumError =>
    new RemediumError('cluster-lost', `The process of the cluster "${name}" has ended.`, {
      hint: 'What is left of it is removed by "remedium cluster prune".',
      cause,
    })
  if (!alive) throw lost()
  try {
    return await askCluster(folder, request, timeoutMs)
  } catch (error) {
    const isSilent = error instanceof RemediumError && error.code === 'cluster-lost'
    if (isSilent && (await untilEnded(record.owner, LAST_MOMENTS_MS))) throw lost(error)
    throw error
  }
}

/** Sends the records of a load to the cluster, and detects that the cluster has ended. */
import { isAlive, type ProcessIdentity } from '#machine/host'
import { RemediumError } from '#spec'
import type { RecordBatch } from '#world/workload'
import { hasControlSocket, sendControlRequest } from '../clusters/control-socket.ts'

const TIMEOUT_MS = 10_000

export interface WatchedCluster {
  /** Resolves when the cluster has ended. */
  readonly lost: Promise<RemediumError>
  /** Checks that the process of the cluster is alive; to be called regularly. */
  check(): void
  record(batch: RecordBatch): void
}

export interface ClusterRef {
  readonly name: string
  readonly folder: string
  readonly owner: ProcessIdentity
}

export const watchCluster = ({ name, folder, owner }: ClusterRef): WatchedCluster => {
  const { promise: lost, resolve } = Promise.withResolvers<RemediumError>()
  const check = (): void => {
    if (isAlive(owner) && hasControlSocket(folder)) return
    resolve(
      new RemediumError('cluster-lost', `The cluster "${name}" ended during the load.`, {
        hint: 'Remove its leftovers with "remedium cluster prune".',
      }),
    )
  }
  return {
    lost,
    check,
    record(batch) {
      // A busy cluster may lose some records; the load continues.
      void sendControlRequest(folder, { command: 'record', ...batch }, TIMEOUT_MS).catch(check)
    },
  }
}

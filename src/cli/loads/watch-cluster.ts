/** The cluster under a load: hears what users lived, and is missed when it is no more. */
import { isAlive, type ProcessIdentity } from '../../engines/local/machine/index.ts'
import { RemediumError } from '../../spec/index.ts'
import type { RecordBatch } from '../../workload/index.ts'
import { askCluster, hasControl } from '../clusters/control-socket.ts'

const PATIENCE_MS = 10_000

export interface WatchedCluster {
  /** Resolves once it is known that the cluster is gone. */
  readonly lost: Promise<RemediumError>
  /** Whether it is still there; to be asked from time to time, as users may have nothing to tell. */
  check(): void
  /** Gives it what users lived. */
  tell(batch: RecordBatch): void
}

export interface ClusterPlace {
  readonly name: string
  readonly folder: string
  readonly owner: ProcessIdentity
}

export const watchCluster = ({ name, folder, owner }: ClusterPlace): WatchedCluster => {
  const { promise: lost, resolve } = Promise.withResolvers<RemediumError>()
  const check = (): void => {
    if (isAlive(owner) && hasControl(folder)) return
    resolve(
      new RemediumError('cluster-lost', `The cluster "${name}" has ended under the load.`, {
        hint: 'What may be left of it is removed by "remedium cluster prune".',
      }),
    )
  }
  return {
    lost,
    check,
    tell(batch) {
      // One that is only busy misses a few signals, which is no reason to stop.
      void askCluster(folder, { command: 'record', ...batch }, PATIENCE_MS).catch(check)
    },
  }
}

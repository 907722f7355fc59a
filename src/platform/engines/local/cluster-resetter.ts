/** Resets a running cluster to the baseline that is captured when it is ready. */
import { copyClaimContents, copyNodeDisks } from '#platform/engines/local/contents'
import { cgroupOf, markerOf } from '#platform/engines/local/machine'
import { createResetter, type Resetter, type ResetterOptions, takeBaseline } from '#platform/engines/reset'
import type { BootedCluster } from './boot-cluster.ts'
import { withLowPriority } from './with-low-priority.ts'

export interface ClusterResetterOptions extends ResetterOptions {
  readonly id: string
  readonly folder: string
  readonly booted: BootedCluster
}

/** Captures the baseline now; the returned function resets the cluster to it. */
export const createClusterResetter = async (options: ClusterResetterOptions): Promise<Resetter> => {
  const { id, folder, client, booted, clock, onError } = options
  const marker = markerOf(folder)
  const baseline = takeBaseline(client)
  const contents = await copyClaimContents({
    client,
    folder,
    clock,
    marker,
    onError: (error) => onError('baseline', error),
  })
  const disks = await copyNodeDisks({ folder, marker, nodes: [...baseline.nodes.keys()] })
  const { store } = booted.cluster.resources
  const reset = createResetter(options, { store, baseline, contents, disks, processes: booted.processes })

  return (signal, choices) =>
    withLowPriority(cgroupOf(id), async () => {
      const report = await reset(signal, choices)
      await booted.network.settled()
      return report
    })
}

/** Resets a simulated cluster to the baseline that is captured when it is ready. */
import { createResetter, type Resetter, type ResetterOptions, takeBaseline } from '#platform/engines/reset'
import type { BootedSimCluster } from './boot-sim-cluster.ts'
import { copyClaimVolumes } from './claim-volumes.ts'

export interface SimResetterOptions extends ResetterOptions {
  readonly booted: BootedSimCluster
}

/** Captures the baseline now; the returned function resets the cluster to it. */
export const createSimResetter = (options: SimResetterOptions): Resetter => {
  const { client, booted } = options
  const { cluster, disks, pods } = booted
  const nodeDisks = disks.copy()
  return createResetter(options, {
    store: cluster.resources.store,
    baseline: takeBaseline(client),
    contents: copyClaimVolumes(client, disks),
    disks: { restore: async () => [...nodeDisks.restoreNodes()] },
    processes: pods,
  })
}

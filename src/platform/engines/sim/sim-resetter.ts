/** Resets a simulated cluster to the baseline that is captured when it is ready. */
import { sleep, type VirtualClock } from '#kit'
import {
  type NodeControl,
  registriesOf,
  resetCluster,
  storesOf,
  type TouchedPods,
  takeBaseline,
} from '#platform/engines/reset'
import type { Client } from '#platform/kube/simulated'
import type { ResetOptions, ResetReport, System } from '#spec'
import type { BootedSimCluster } from './boot-sim-cluster.ts'
import { copyClaimVolumes } from './claim-volumes.ts'

/** Time for controllers to react to the last change. */
const SETTLE_MS = 20

export interface SimResetterOptions {
  readonly client: Client
  readonly booted: BootedSimCluster
  readonly touched: TouchedPods
  readonly nodeControl: NodeControl
  readonly system: System | undefined
  readonly clock: VirtualClock
  waitUntilListening(signal: AbortSignal | undefined): Promise<void>
  onError(source: string, error: unknown): void
}

/** Captures the baseline now; the returned function resets the cluster to it. */
export const createSimResetter = (
  options: SimResetterOptions,
): ((signal: AbortSignal, choices?: ResetOptions) => Promise<ResetReport>) => {
  const { client, booted, touched, nodeControl, system, clock, onError } = options
  const { cluster, disks, pods } = booted
  const baseline = takeBaseline(client)
  const contents = copyClaimVolumes(client, disks)
  const nodeDisks = disks.copy()
  touched.clear()

  return async (signal, { keepData = false, isTrusted = false, keepNewPods = false } = {}) => {
    const report = await resetCluster({
      client,
      store: cluster.resources.store,
      clock,
      baseline,
      contents,
      disks: { restore: async () => [...nodeDisks.restoreNodes()] },
      touched,
      processes: pods,
      healNodes: nodeControl.healNodes,
      signal,
      keepData,
      isTrusted,
      keepNewPods,
      registries: registriesOf(system),
      stores: storesOf(system),
      onError: (error) => onError('reset', error),
    })
    await options.waitUntilListening(signal)
    // Controllers update the endpoints of recreated Services shortly afterwards.
    await sleep(clock, SETTLE_MS)
    return report
  }
}

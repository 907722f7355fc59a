/** Resets a running cluster to the baseline that is captured when it is ready. */
import { type Clock, sleep } from '#kit'
import { copyClaimContents, copyNodeDisks } from '#platform/engines/local/contents'
import { cgroupOf, markerOf } from '#platform/engines/local/machine'
import {
  type NodeControl,
  registriesOf,
  resetCluster,
  storesOf,
  type TouchedPods,
  takeBaseline,
} from '#platform/engines/reset'
import type { Client } from '#platform/kube'
import type { ResetOptions, ResetReport, System } from '#spec'
import type { BootedCluster } from './boot-cluster.ts'
import { withLowPriority } from './with-low-priority.ts'

/** Time for controllers to react to the last change. */
const SETTLE_MS = 20

export interface ResetterOptions {
  readonly id: string
  readonly folder: string
  readonly client: Client
  readonly booted: BootedCluster
  readonly touched: TouchedPods
  readonly nodeControl: NodeControl
  readonly system: System | undefined
  readonly clock: Clock
  waitUntilListening(signal: AbortSignal | undefined): Promise<void>
  onError(source: string, error: unknown): void
}

/** Captures the baseline now; the returned function resets the cluster to it. */
export const createClusterResetter = async (
  options: ResetterOptions,
): Promise<(signal: AbortSignal, choices?: ResetOptions) => Promise<ResetReport>> => {
  const { id, folder, client, booted, touched, nodeControl, system, clock, onError } = options
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
  touched.clear()

  return (signal, { keepData = false, isTrusted = false, keepNewPods = false } = {}) =>
    withLowPriority(cgroupOf(id), async () => {
      const report = await resetCluster({
        client,
        store: booted.cluster.resources.store,
        clock,
        baseline,
        contents,
        disks,
        touched,
        processes: booted.processes,
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
      await booted.network.settled()
      return report
    })
}

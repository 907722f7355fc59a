/** Resets a cluster of any engine to its baseline, and waits until its programs listen again. */
import { type Clock, sleep } from '#kit'
import type { Client } from '#platform/kube/simulated'
import type { ResetOptions, ResetReport, System } from '#spec'
import type { NodeControl } from './create-node-control.ts'
import { type ResetContext, resetCluster } from './reset-cluster.ts'
import { registriesOf, storesOf } from './restarted-services.ts'
import type { TouchedPods } from './touched-pods.ts'

/** What the resetter of every engine needs. */
export interface ResetterOptions {
  readonly client: Client
  readonly touched: TouchedPods
  readonly nodeControl: NodeControl
  readonly system: System | undefined
  readonly clock: Clock
  waitUntilListening(signal: AbortSignal | undefined): Promise<void>
  onError(source: string, error: unknown): void
}

/** The state of the cluster that the engine has captured. */
export type Captured = Pick<ResetContext, 'store' | 'baseline' | 'contents' | 'disks' | 'processes'>

export type Resetter = (signal: AbortSignal, choices?: ResetOptions) => Promise<ResetReport>

/** Time for controllers to react to the last change. */
const SETTLE_MS = 20

/** Call this as soon as the state is captured: pods that are touched later count as touched. */
export const createResetter = (options: ResetterOptions, captured: Captured): Resetter => {
  const { client, touched, nodeControl, system, clock, onError } = options
  touched.clear()
  return async (signal, { keepData = false, isTrusted = false, keepNewPods = false } = {}) => {
    const report = await resetCluster({
      ...captured,
      client,
      clock,
      touched,
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

/**
 * Keeps a lab cluster open while jobs need the same system on the same engine. Opens no lab cluster after the machine's clock has jumped.
 * A simulated cluster starts at once, so each incident gets a new one, whose records depend neither on earlier incidents nor on
 * the machine.
 */
import type { Incident } from '#exam/episode'
import { deriveSecret, preciseNow } from '#kit'
import { DEFAULT_ENGINE, type Fault, type Problem } from '#spec'
import { usesMachine } from '../engines.ts'
import { createClockCheck } from './create-clock-check.ts'
import { type LabCluster, type LabClusterOptions, openLabCluster } from './open-lab-cluster.ts'

/** Replaces the cluster after this many incidents, because its telemetry file grows. */
const MAX_INCIDENTS = 120

export interface LabClusterRequest {
  readonly problem: Problem
  /** The name of the engine; `local` by default. */
  readonly engine?: string | undefined
  /** Draws the names and addresses of a new cluster; by default the seed of the problem does. */
  readonly secret?: string
  readonly faults: ReadonlyMap<string, Fault>
  /** The folder for telemetry files; none are kept by default. */
  readonly telemetry?: string | undefined
  readonly signal: AbortSignal
  stage(text: string): void
}

/** An open lab cluster, and how long it took to open, in milliseconds; 0 if it was already open. */
export interface OpenedLabCluster {
  readonly labCluster: LabCluster
  readonly provisionMs: number
}

export interface LabClusterKeeper {
  /** Returns a lab cluster on which the problem can be prepared. */
  open(request: LabClusterRequest): Promise<OpenedLabCluster>
  /** Throws if the clock has jumped since the worker started, possibly in the middle of an episode. */
  checkClock(): void
  /** Restores an incident, or closes the lab cluster, so that the next episode gets a new one. */
  restore(incident: Incident): Promise<void>
  /** Closes the lab cluster, even if it is still being opened. */
  close(): Promise<void>
}

export interface LabClusterKeeperOptions {
  /** Opens a lab cluster. */
  open?(options: LabClusterOptions): Promise<LabCluster>
  /** Throws if the clock has jumped since the worker started. */
  checkClock?(): void
}

interface KeptLabCluster {
  readonly system: string
  readonly engine: string
  readonly opening: Promise<LabCluster>
}

export const createLabClusterKeeper = ({
  open = openLabCluster,
  checkClock = createClockCheck(),
}: LabClusterKeeperOptions = {}): LabClusterKeeper => {
  let current: KeptLabCluster | undefined
  let incidents = 0
  let closed: Promise<void> = Promise.resolve()

  const track = (labCluster: KeptLabCluster): KeptLabCluster => {
    // If opening failed, there is nothing to close.
    labCluster.opening.catch(() => {
      if (current === labCluster) current = undefined
    })
    return labCluster
  }

  const close = (): Promise<void> => {
    const closing = current
    current = undefined
    incidents = 0
    const earlierCloses = closed.catch(() => {})
    // Waits for earlier calls, too: the process ends after the last one.
    closed = earlierCloses.then(async () => {
      const labCluster = await closing?.opening.catch(() => undefined)
      await labCluster?.close()
    })
    return closed
  }

  return {
    close,
    checkClock() {
      if (current === undefined || usesMachine(current.engine)) checkClock()
    },
    async open({ problem, engine = DEFAULT_ENGINE, faults, telemetry, signal, stage, secret }) {
      const { system } = problem
      const isReal = usesMachine(engine)
      if (isReal) checkClock()
      const isOther = current?.system !== system || current.engine !== engine
      if (current !== undefined && (!isReal || isOther || incidents >= MAX_INCIDENTS)) await close()
      const start = preciseNow()
      const isNew = current === undefined
      // A lab cluster that is opened after the abort would never be closed.
      signal.throwIfAborted()
      const seed = secret === undefined ? problem.seed : deriveSecret(secret, 'cluster')
      current ??= track({
        system,
        engine,
        opening: open({ system, engine, seed, faults, telemetry, signal, stage }),
      })
      const labCluster = await current.opening
      signal.throwIfAborted()
      incidents += 1
      return { labCluster, provisionMs: isNew ? Math.round(preciseNow() - start) : 0 }
    },
    async restore(incident) {
      const isReal = current === undefined || usesMachine(current.engine)
      const restoring = isReal ? incident.restore() : close()
      await restoring.catch(() => close().catch(() => {}))
    },
  }
}

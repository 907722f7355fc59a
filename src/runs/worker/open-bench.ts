/** A cluster with a laboratory on it, used for many episodes of one system, and given back. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalEngine } from '../../engines/local/index.ts'
import { type Lab, openLab } from '../../episode/index.ts'
import { preciseNow } from '../../kit/index.ts'
import type { EngineCluster, Fault } from '../../spec/index.ts'
import { loadSystem } from '../../systems/index.ts'
import { whenAborted } from './when-aborted.ts'

export interface Bench {
  readonly system: string
  readonly cluster: EngineCluster
  readonly lab: Lab
  close(): Promise<void>
}

export interface BenchOptions {
  readonly system: string
  readonly faults: ReadonlyMap<string, Fault>
  readonly seed: string
  /** The folder for the file of its signals; they go with the cluster where absent. */
  readonly telemetry?: string | undefined
  readonly signal: AbortSignal
  stage(text: string): void
}

/** Of every cluster one of its own. */
const telemetryFileIn = (folder: string, system: string): string => {
  mkdirSync(folder, { recursive: true })
  return join(folder, `${system}-${Math.round(preciseNow())}-${process.pid}.sqlite`)
}

export const openBench = async ({
  system: name,
  faults,
  seed,
  telemetry,
  signal,
  stage,
}: BenchOptions): Promise<Bench> => {
  const system = await loadSystem(name)
  const engine = createLocalEngine({
    onError: (where, error) => stage(`${where}: ${error instanceof Error ? error.message : String(error)}`),
  })
  stage(`starting ${name}`)
  const cluster = await engine.provision(system, {
    seed,
    signal,
    onProgress: stage,
    ...(telemetry === undefined ? {} : { telemetryFile: telemetryFileIn(telemetry, name) }),
  })
  try {
    signal.throwIfAborted()
    // Programs get warm for longer than anybody waits for an end; users that are left go with the worker.
    const opening = openLab({ cluster, system, faults, seed, onProgress: stage })
    const lab = await Promise.race([opening, whenAborted(signal)])
    return {
      system: name,
      cluster,
      lab,
      async close() {
        await lab.close()
        await cluster.close()
      },
    }
  } catch (error) {
    await cluster.close()
    throw error
  }
}

/** Opens a lab cluster for episodes: a cluster that runs a system, with a laboratory on it. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Laboratory, openLaboratory } from '#exam/episode'
import { defined, preciseNow } from '#kit'
import { DEFAULT_ENGINE, type EngineCluster, type Fault, inTimeOf } from '#spec'
import { loadSystem } from '#world/systems'
import { createEngine } from '../engines.ts'
import { unlessAborted } from './unless-aborted.ts'

export interface LabCluster {
  readonly system: string
  readonly cluster: EngineCluster
  readonly laboratory: Laboratory
  close(): Promise<void>
}

export interface LabClusterOptions {
  readonly system: string
  /** The name of the engine; `local` by default. */
  readonly engine?: string | undefined
  readonly faults: ReadonlyMap<string, Fault>
  /** Draws generated names, identities and addresses, and the actions of users. */
  readonly seed: string
  /** The folder for the telemetry file; by default telemetry is deleted with the cluster. */
  readonly telemetry?: string | undefined
  readonly signal: AbortSignal
  stage(text: string): void
}

/** A telemetry file name that no other cluster uses. */
const telemetryFileIn = (folder: string, system: string): string => {
  mkdirSync(folder, { recursive: true })
  return join(folder, `${system}-${Math.round(preciseNow())}-${process.pid}.sqlite`)
}

export const openLabCluster = async (options: LabClusterOptions): Promise<LabCluster> => {
  const {
    system: name,
    engine: engineName = DEFAULT_ENGINE,
    faults,
    seed,
    telemetry,
    signal,
    stage,
  } = options
  const system = await loadSystem(name)
  const engine = await createEngine(engineName, (where, error) =>
    stage(`${where}: ${error instanceof Error ? error.message : String(error)}`),
  )
  stage(`starting ${name}`)
  const cluster = await engine.provision(system, {
    seed,
    signal,
    onProgress: stage,
    ...defined({ telemetryFile: telemetry === undefined ? undefined : telemetryFileIn(telemetry, name) }),
  })
  try {
    signal.throwIfAborted()
    // Opening a laboratory takes no signal; simulated users that remain end with the worker.
    const opening = openLaboratory({
      ...{ cluster, system, faults, seed },
      engine: engineName,
      onProgress: stage,
    })
    const laboratory = await unlessAborted(opening, signal)
    return {
      system: name,
      cluster,
      laboratory,
      async close() {
        await laboratory.close()
        await inTimeOf(cluster, () => cluster.close())
      },
    }
  } catch (error) {
    await inTimeOf(cluster, () => cluster.close())
    throw error
  }
}

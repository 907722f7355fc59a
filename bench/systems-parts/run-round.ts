/** Runs one round of the systems benchmark: starts a system, runs the default load and all journeys, and stops it. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Alert, OpenEntryPoint } from '#spec'
import { loadSystem } from '#world/systems'
import { runAllJourneys } from '#world/workload'
import { clusterMemory } from './cluster-memory.ts'
import type { CommandLine } from './command-line.ts'
import { type LoadFigures, readRecords, toLoadFigures } from './load-figures.ts'

export interface Round extends LoadFigures {
  readonly upSeconds: number
  readonly pods: number
  /** In MiB. */
  readonly memory: { readonly engine: number; readonly pods: number }
  readonly alerts: readonly Alert[]
}

interface StartedCluster {
  readonly name: string
  readonly id: string
  readonly entryPoints: readonly OpenEntryPoint[]
}

export const bringUp = async (
  commandLine: CommandLine,
  system: string,
): Promise<StartedCluster & { readonly seconds: number }> => {
  const startMs = performance.now()
  const started = await commandLine.call<StartedCluster>(
    'cluster',
    'up',
    '--system',
    system,
    '--name',
    system,
  )
  return { ...started, seconds: (performance.now() - startMs) / 1000 }
}

interface RoundOptions {
  readonly system: string
  readonly seed: string
  /** The duration of the load, such as `60s`. */
  readonly duration: string
}

export const runRound = async (commandLine: CommandLine, options: RoundOptions): Promise<Round> => {
  const { system, seed, duration } = options
  const { id, seconds, entryPoints } = await bringUp(commandLine, system)
  const { clusters } = await commandLine.call<{ clusters: { id: string; pid: number; pods: number }[] }>(
    'cluster',
    'ls',
  )
  const cluster = clusters.find((entry) => entry.id === id)!
  const memory = clusterMemory(cluster)
  const records = join(commandLine.folder, 'records')
  await commandLine.call('load', system, '--for', duration, '--seed', seed, '--records', records)
  // Rare journeys might not run during the load.
  const { workload } = await loadSystem(system)
  const others = await runAllJourneys({ workload: workload!, entryPoints, seed })
  const { alerts } = await commandLine.call<{ alerts: Alert[] }>('telemetry', system, 'alerts')
  await commandLine.call('cluster', 'down', system)
  const figures = toLoadFigures(readRecords(records), others)
  rmSync(records)
  return { ...figures, upSeconds: seconds, pods: cluster.pods, memory, alerts }
}

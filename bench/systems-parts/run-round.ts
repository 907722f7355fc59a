/** One round of the benchmark of systems: starts a system, runs the default load and all journeys, and stops it. */
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

interface Announced {
  readonly name: string
  readonly id: string
  readonly entryPoints: readonly OpenEntryPoint[]
}

export const bringUp = async (
  line: CommandLine,
  system: string,
): Promise<Announced & { readonly seconds: number }> => {
  const started = performance.now()
  const announced = await line.call<Announced>('cluster', 'up', '--system', system, '--name', system)
  return { ...announced, seconds: (performance.now() - started) / 1000 }
}

interface RoundOptions {
  readonly system: string
  readonly seed: string
  /** The duration of the load, such as `60s`. */
  readonly duration: string
}

export const runRound = async (line: CommandLine, options: RoundOptions): Promise<Round> => {
  const { system, seed, duration } = options
  const { id, seconds, entryPoints } = await bringUp(line, system)
  const { clusters } = await line.call<{ clusters: { id: string; pid: number; pods: number }[] }>(
    'cluster',
    'ls',
  )
  const cluster = clusters.find((one) => one.id === id)!
  const memory = clusterMemory(cluster)
  const records = join(line.folder, 'records')
  await line.call('load', system, '--for', duration, '--seed', seed, '--records', records)
  // Rare journeys might not run during the load.
  const { workload } = await loadSystem(system)
  const others = await runAllJourneys({ workload: workload!, entryPoints, seed })
  const { alerts } = await line.call<{ alerts: Alert[] }>('telemetry', system, 'alerts')
  await line.call('cluster', 'down', system)
  const figures = toLoadFigures(readRecords(records), others)
  rmSync(records)
  return { ...figures, upSeconds: seconds, pods: cluster.pods, memory, alerts }
}

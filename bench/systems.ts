/**
 * The goals of the systems: how soon they are up, in how much memory, and how their users fare while nothing is broken.
 * `--rounds N` (5), `--for TIME` (60s) and names of systems make it shorter.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Alert, OpenEntryPoint } from '../src/spec/index.ts'
import { listSystemNames, loadSystem } from '../src/systems/index.ts'
import { walkAll } from '../src/workload/index.ts'
import { type Goal, printGoals } from './measure/goals.ts'
import { clusterMemory } from './systems-parts/cluster-memory.ts'
import { type CommandLine, createCommandLine } from './systems-parts/command-line.ts'
import { type LoadFigures, readRecords, toLoadFigures } from './systems-parts/load-figures.ts'
import { measureOpenLoop } from './systems-parts/open-loop.ts'

const UP_SECONDS: Record<string, number> = { 'train-ticket': 15, 'online-boutique': 5, 'simple-micro': 2 }
const MOST_MIB = 2048

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, for: { type: 'string', default: '60s' } },
})
const systems = positionals.length === 0 ? listSystemNames() : positionals

interface Round extends LoadFigures {
  readonly upSeconds: number
  readonly memory: { readonly engine: number; readonly pods: number }
  readonly alerts: readonly Alert[]
}

interface Announced {
  name: string
  id: string
  entryPoints: OpenEntryPoint[]
}

const bringUp = async (line: CommandLine, system: string): Promise<Announced & { seconds: number }> => {
  const started = performance.now()
  const announced = await line.ask<Announced>('cluster', 'up', '--system', system, '--name', system)
  return { ...announced, seconds: (performance.now() - started) / 1000 }
}

const runRound = async (line: CommandLine, system: string, seed: string): Promise<Round> => {
  const { id, seconds, entryPoints } = await bringUp(line, system)
  const { clusters } = await line.ask<{ clusters: { id: string; pid: number }[] }>('cluster', 'ls')
  const memory = clusterMemory(clusters.find((cluster) => cluster.id === id)!)
  const records = join(line.folder, 'records')
  await line.ask('load', system, '--for', values.for, '--seed', seed, '--records', records)
  // Rare journeys may not come up in a minute.
  const { workload } = await loadSystem(system)
  const others = await walkAll({ workload: workload!, entryPoints, seed })
  const { alerts } = await line.ask<{ alerts: Alert[] }>('telemetry', system, 'alerts')
  await line.ask('cluster', 'down', system)
  const figures = toLoadFigures(readRecords(records), others)
  rmSync(records)
  return { ...figures, upSeconds: seconds, memory, alerts }
}

const describeRound = (system: string, round: number, figures: Round): string => {
  const { upSeconds, memory, walks, journeys, worst, p95ByThird, alerts, failures } = figures
  const lines = [
    `${system}, round ${round}: up in ${upSeconds.toFixed(1)} s, ${(memory.engine + memory.pods).toFixed(0)} MiB ` +
      `(engine ${memory.engine.toFixed(0)}); ${walks} walks, ${journeys.length} journeys, worst ${worst.journey} ${(worst.success * 100).toFixed(2)} %, ` +
      `p95 by third ${p95ByThird.map((value) => value.toFixed(0)).join(' / ')} ms, ${alerts.length} alerts`,
    ...alerts.map(({ name, summary }) => `  alert ${name}: ${summary}`),
    ...failures.slice(0, 5).map((failure) => `  failed ${failure}`),
  ]
  return lines.join('\n')
}

const goalsOf = (system: string, rounds: readonly Round[]): Goal[] => {
  const most = (of: (round: Round) => number): number => Math.max(...rounds.map(of))
  const limit = UP_SECONDS[system]
  const memory = most(({ memory: { engine, pods } }) => engine + pods)
  const success = Math.min(...rounds.map(({ worst }) => worst.success)) * 100
  const of = `of ${rounds.length} rounds`
  return [
    ...(limit === undefined
      ? []
      : [
          {
            what: `${system}: up, worst ${of}`,
            measured: most((r) => r.upSeconds),
            unit: 's',
            atMost: limit,
          },
        ]),
    { what: `${system}: memory once up, most ${of}`, measured: memory, unit: 'MiB', atMost: MOST_MIB },
    { what: `${system}: success of the worst journey ${of}`, measured: success, unit: '%', atLeast: 99.9 },
    { what: `${system}: alerts in all ${of}`, measured: most((r) => r.alerts.length), unit: '', atMost: 0 },
  ]
}

const openLoopGoals = async (line: CommandLine): Promise<Goal[]> => {
  const { entryPoints } = await bringUp(line, 'simple-micro')
  const { workload } = await loadSystem('simple-micro')
  const { onTime, success, p99Ms, health } = await measureOpenLoop({ workload: workload!, entryPoints })
  await line.ask('cluster', 'down', 'simple-micro')
  console.log(
    `open loop: ${health.arrivals} arrivals, lag p50 ${health.lagMs.p50.toFixed(2)} p99 ${health.lagMs.p99.toFixed(2)} ` +
      `most ${health.lagMs.most.toFixed(2)} ms, generator ${health.cpu.toFixed(2)} cores, ` +
      `success ${(success * 100).toFixed(2)} %, p99 ${p99Ms.toFixed(1)} ms`,
  )
  return [{ what: 'open loop, 500/s: begun within 5 ms', measured: onTime * 100, unit: '%', atLeast: 99 }]
}

const goals: Goal[] = []
const line = createCommandLine()
try {
  for (const system of systems) {
    const rounds: Round[] = []
    for (let round = 1; round <= Number(values.rounds); round += 1) {
      const figures = await runRound(line, system, `round ${round}`)
      console.log(describeRound(system, round, figures))
      rounds.push(figures)
    }
    goals.push(...goalsOf(system, rounds))
  }
  if (systems.includes('simple-micro')) goals.push(...(await openLoopGoals(line)))
} finally {
  await line.close()
}
process.exitCode = printGoals(goals)

/** Measures the systems: how fast they start, how much memory they take, and how they serve their users without a fault. */
import { defined } from '#kit'
import { listSystemNames, loadSystem } from '#world/systems'
import type { Goal } from './measure/print-goals.ts'
import { runBench } from './measure/run-bench.ts'
import { type CommandLine, createCommandLine } from './systems-parts/command-line.ts'
import { measureOpenLoop } from './systems-parts/open-loop.ts'
import { bringUp, type Round, runRound } from './systems-parts/run-round.ts'

const MAX_UP_SECONDS: Record<string, number> = { 'train-ticket': 15, 'online-boutique': 5, 'simple-micro': 2 }
const MAX_MIB = 2048
const MIN_SUCCESS_PERCENT = 99.9
const MAX_FAILURES_SHOWN = 5

const describeRound = (system: string, round: number, figures: Round): string => {
  const { upSeconds, memory, runs, journeys, worst, p95ByThird, alerts, failures } = figures
  const lines = [
    `${system}, round ${round}: up in ${upSeconds.toFixed(1)} s, ${(memory.engine + memory.pods).toFixed(0)} MiB ` +
      `(engine ${memory.engine.toFixed(0)}); ${runs} journey runs, ${journeys.length} journeys, worst ${worst.journey} ${(worst.success * 100).toFixed(2)} %, ` +
      `p95 by third ${p95ByThird.map((value) => value.toFixed(0)).join(' / ')} ms, ${alerts.length} alerts`,
    ...alerts.map(({ name, summary }) => `  alert ${name}: ${summary}`),
    ...failures.slice(0, MAX_FAILURES_SHOWN).map((failure) => `  failed ${failure}`),
  ]
  return lines.join('\n')
}

const toGoals = (system: string, rounds: readonly Round[]): Goal[] => {
  const maxOf = (figure: (round: Round) => number): number => Math.max(...rounds.map(figure))
  const subject = `${system} (${rounds[0]!.pods} pods)`
  const toGoal = (column: string, figure: Omit<Goal, 'what' | 'cell'>): Goal => ({
    what: `${system}: ${column}`,
    ...figure,
    cell: { subject, column },
  })
  const success = Math.min(...rounds.map(({ worst }) => worst.success)) * 100
  const maxUp = MAX_UP_SECONDS[system]
  return [
    toGoal('up, worst', {
      measured: maxOf(({ upSeconds }) => upSeconds),
      unit: 's',
      ...defined({ atMost: maxUp }),
    }),
    toGoal('memory', {
      measured: maxOf(({ memory: { engine, pods } }) => engine + pods),
      unit: 'MiB',
      atMost: MAX_MIB,
    }),
    toGoal('worst journey', { measured: success, unit: '%', atLeast: MIN_SUCCESS_PERCENT }),
    toGoal('alerts', { measured: maxOf(({ alerts }) => alerts.length), unit: '', atMost: 0 }),
  ]
}

const measureOpenLoopGoal = async (commandLine: CommandLine, durationMs: number): Promise<Goal> => {
  const { entryPoints } = await bringUp(commandLine, 'simple-micro')
  const { workload } = await loadSystem('simple-micro')
  const figures = await measureOpenLoop({ workload: workload!, entryPoints, durationMs })
  const { onTime, success, p99Ms, health } = figures
  await commandLine.call('cluster', 'down', 'simple-micro')
  console.log(
    `open loop: ${health.arrivals} arrivals, lag p50 ${health.lagMs.p50.toFixed(2)} p99 ${health.lagMs.p99.toFixed(2)} ` +
      `max ${health.lagMs.max.toFixed(2)} ms, generator ${health.cpu.toFixed(2)} cores, ` +
      `success ${(success * 100).toFixed(2)} %, p99 ${p99Ms.toFixed(1)} ms`,
  )
  return {
    what: 'open loop, 500 journeys a second: started within 5 ms',
    measured: onTime * 100,
    unit: '%',
    atLeast: 99,
  }
}

await runBench({
  name: 'systems',
  about: 'Measures the systems, by default all: start, memory, success of the journeys, alerts.',
  operands: '[SYSTEM ...]',
  options: {
    rounds: { about: 'how many times each system is started', count: 5, quick: 1 },
    for: { about: 'how long each load lasts', value: 'TIME', text: '60s', quick: '3s' },
  },
  conditions: ({ values }) =>
    `${values.rounds} rounds of ${values.for} of the default load for each system; memory is that of the engine and all pods once up, with shared memory counted once`,
  async measure({ values, operands, isQuick }) {
    const all = isQuick ? ['simple-micro'] : listSystemNames()
    const systems = operands.length === 0 ? all : operands
    const goals: Goal[] = []
    const commandLine = createCommandLine()
    try {
      for (const system of systems) {
        const rounds: Round[] = []
        for (let round = 1; round <= values.rounds; round += 1) {
          const figures = await runRound(commandLine, {
            system,
            seed: `round ${round}`,
            duration: values.for,
          })
          console.log(describeRound(system, round, figures))
          rounds.push(figures)
        }
        goals.push(...toGoals(system, rounds))
      }
      if (systems.includes('simple-micro'))
        goals.push(await measureOpenLoopGoal(commandLine, isQuick ? 2000 : 10_000))
      return goals
    } finally {
      await commandLine.close()
    }
  },
})

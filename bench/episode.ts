/** Measures episodes with the reference fix, from the injection to the verdict. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadFaults } from '#exam/faults'
import { loadSuite } from '#exam/problems'
import type { StageTimes } from '#lab/records'
import { type AttemptResult, openLedger, validateSuite } from '#lab/validation'
import type { Problem, SystemView } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { timeEmptyPlaybook } from './episode-parts/empty-playbook.ts'
import { type Goal, median } from './measure/print-goals.ts'
import { runBench } from './measure/run-bench.ts'
import { createStopSignal } from './measure/stop-signal.ts'

const MAX_SECONDS = 10
const STAGES = ['inject', 'impact', 'report', 'solve', 'verify'] as const

interface PlayedEpisode {
  readonly problem: Problem
  readonly result: AttemptResult
}

interface EpisodeOptions {
  readonly suite: string
  readonly system: string
  readonly limit: number
  readonly workers: number
}

const inSeconds = (ms: number): string => (ms / 1000).toFixed(2)

const percentile95 = (list: readonly number[]): number =>
  list.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(list.length * 0.95) - 1)] ?? Number.NaN

const describeResult = ({ problem, outcome, reason, stages }: AttemptResult): string => {
  const durations = STAGES.map((stage) => `${stage} ${inSeconds(stages[stage] ?? Number.NaN)}`)
  const verdict = outcome === 'resolved' ? '' : `  ${outcome}: ${reason}`
  return `${inSeconds(stages.total ?? Number.NaN).padStart(6)} s  ${problem}  (${durations.join(', ')})${verdict}`
}

const playAll = async ({
  suite,
  system,
  limit,
  workers,
}: EpisodeOptions): Promise<readonly PlayedEpisode[]> => {
  const problems = await loadSuite(suite, { system: system === '' ? undefined : system })
  const chosen = problems.slice(0, limit)
  const views = new Map<string, SystemView>()
  for (const name of new Set(chosen.map((problem) => problem.system)))
    views.set(name, createSystemView(await loadSystem(name)))
  const ledger = openLedger(undefined, { suite, seed: 'own', commit: 'bench' })
  await validateSuite(chosen, {
    ledger,
    workers,
    hackShare: 0,
    seed: 'bench',
    signal: createStopSignal(),
    // The reference solver only; it does nothing in problems without a fault.
    only: ['right'],
    faults: await loadFaults(),
    commonHacks: [],
    systemOf: (name) => views.get(name)!,
    onProgress: ({ result }) => console.log(describeResult(result)),
    onFailure: ({ id }, { message }) => console.log(`retried: ${id}: ${message}`),
  })
  const problemOf = new Map(chosen.map((problem) => [problem.id, problem]))
  return ledger.results.map((result) => ({ problem: problemOf.get(result.problem)!, result }))
}

/** The medians of each system, for the estimates of `remedium run --dry-run`. */
const toSystemMedians = (episodes: readonly PlayedEpisode[]): Goal[] => {
  const cells = Map.groupBy(
    episodes.flatMap(({ problem: { system, task }, result }) =>
      [task, 'all tasks'].map((column) => ({ system, column, totalMs: result.stages.total! })),
    ),
    ({ system, column }) => `${system}: ${column}`,
  )
  return [...cells]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, times]) => ({
      what: `${what}, injection to verdict`,
      measured: median(times.map(({ totalMs }) => totalMs)) / 1000,
      unit: 's',
      cell: { subject: times[0]!.system, column: times[0]!.column },
    }))
}

const toGoals = (
  results: readonly AttemptResult[],
  timesOf: (stage: keyof StageTimes) => number[],
): Goal[] => [
  {
    what: 'injection to verdict, median',
    measured: median(timesOf('total')) / 1000,
    unit: 's',
    atMost: MAX_SECONDS,
  },
  {
    what: 'injection to verdict, p95',
    measured: percentile95(timesOf('total')) / 1000,
    unit: 's',
    atMost: 3 * MAX_SECONDS,
  },
  {
    what: 'episodes that the reference does not resolve',
    measured: results.filter(({ outcome }) => outcome !== 'resolved').length,
    unit: '',
    atMost: 0,
    isCorrectness: true,
  },
]

await runBench({
  name: 'episode',
  about: 'Measures episodes with the reference fix, from the injection to the verdict.',
  options: {
    suite: { about: 'the suite to play', value: 'NAME', text: 'smoke', quick: 'network-delay' },
    system: { about: 'only the problems of this system', value: 'NAME', text: '', quick: 'simple-micro' },
    limit: { about: 'at most this many problems', count: 1000, quick: 1 },
    workers: { about: 'how many clusters run at the same time', count: 2, quick: 1 },
  },
  conditions: () =>
    'reference repairs and right answers, from the injection to the verdict; the preparation and the reset of the cluster are not included',
  async measure({ values, isQuick }) {
    const state = mkdtempSync(join(tmpdir(), 'bench-episode-'))
    process.env.REMEDIUM_STATE = state
    try {
      const emptyPlayMs = await timeEmptyPlaybook(isQuick ? 1 : 3)
      const episodes = await playAll(values)
      const judged = episodes.filter(({ result }) => result.stages.total !== undefined)
      if (judged.length === 0) throw new Error('no episode has a verdict')
      const timesOf = (stage: keyof StageTimes): number[] => judged.map(({ result }) => result.stages[stage]!)
      console.log(`${judged.length} episodes; a play without tasks takes ${inSeconds(emptyPlayMs)} s.`)
      for (const stage of STAGES)
        console.log(
          `  ${stage.padEnd(7)} median ${inSeconds(median(timesOf(stage)))} s, p95 ${inSeconds(percentile95(timesOf(stage)))} s`,
        )
      const results = episodes.map(({ result }) => result)
      return [...toGoals(results, timesOf), ...toSystemMedians(judged)]
    } finally {
      rmSync(state, { recursive: true, force: true })
    }
  },
})

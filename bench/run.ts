/** Measures a run of many episodes, and how much of each episode is the work of the laboratory instead of the agent. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timeEmptyPlaybook } from './episode-parts/empty-playbook.ts'
import { type Goal, median } from './measure/goals.ts'
import { runBench } from './measure/run-bench.ts'
import { type PlayedRun, playBenchRun } from './run-parts/play-bench-run.ts'

const MAX_MINUTES = 5
/** Of an episode, without the time of the agent. */
const MAX_OVERHEAD_SECONDS = 15
const STAGES = ['provision', 'restore', 'prepare', 'solve', 'verify']

const inSeconds = (ms: number): string => (ms / 1000).toFixed(2)

const sum = (list: readonly number[]): number => list.reduce((total, value) => total + value, 0)

/** Prints where the time of an episode goes, and returns the share of the laboratory in milliseconds. */
const printStages = ({ results, ansible, wallMs }: PlayedRun, workers: number, bareMs: number): number => {
  const times = (stage: string): number[] => results.map(({ stages }) => stages[stage] ?? 0)
  if (!results.every(({ stages }) => 'solve' in stages))
    throw new Error('an episode has no time of its agent')
  const mean = (list: readonly number[]): number => sum(list) / results.length
  // The workers run at the same time: each second of the run is one second of each worker.
  const workerMs = wallMs * workers
  console.log(`${results.length} episodes in ${inSeconds(wallMs)} s; mean (and median) of each stage:`)
  for (const stage of STAGES)
    console.log(
      `  ${stage.padEnd(9)} ${inSeconds(mean(times(stage)))} s (${inSeconds(median(times(stage)))} s)`,
    )
  const harnessMs = (workerMs - sum(STAGES.flatMap(times))) / results.length
  console.log(
    `  harness   ${inSeconds(harnessMs)} s: start and end of workers, and the wait for the last one`,
  )
  console.log(
    `Of the time of the agent (solve), models take ${inSeconds(mean(times('model')))} s and Ansible ${inSeconds(mean(ansible))} s; ` +
      `a play without tasks, outside the sandbox, takes ${inSeconds(bareMs)} s.`,
  )
  return (workerMs - sum(times('solve'))) / results.length
}

await runBench({
  name: 'run',
  about:
    'Measures a run: by default the suite easy on simple-micro, by the Expert. The goals are those of the defaults.',
  options: {
    suite: { about: 'the suite of problems', value: 'NAME', text: 'easy' },
    system: { about: 'the system under test', value: 'NAME', text: 'simple-micro' },
    agent: { about: 'the agent', value: 'NAME', text: 'expert' },
    limit: { about: 'at most this many problems', count: 1000, quick: 1 },
    workers: { about: 'clusters at the same time', count: 2, quick: 1 },
  },
  async measure({ values, isQuick }): Promise<Goal[]> {
    const home = mkdtempSync(join(tmpdir(), 'bench-run-'))
    process.env.REMEDIUM_STATE = join(home, 'state')
    try {
      const bareMs = await timeEmptyPlaybook(isQuick ? 1 : 3)
      const played = await playBenchRun(home, values)
      const { planned, results, wallMs } = played
      const overheadMs = printStages(played, values.workers, bareMs)
      const unresolved = results.filter(({ outcome }) => outcome !== 'resolved').length
      const isCorrectness = true
      return [
        { what: `${planned} episodes`, measured: wallMs / 60_000, unit: 'min', atMost: MAX_MINUTES },
        {
          what: 'the laboratory itself, per episode',
          measured: overheadMs / 1000,
          unit: 's',
          atMost: MAX_OVERHEAD_SECONDS,
        },
        {
          what: 'episodes without a verdict',
          measured: planned - results.length,
          unit: '',
          atMost: 0,
          isCorrectness,
        },
        {
          what: 'episodes that are not resolved',
          measured: unresolved,
          unit: '',
          atMost: values.agent === 'expert' ? Math.floor(results.length / 10) : results.length,
          isCorrectness,
        },
      ]
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  },
})

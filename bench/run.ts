/** Measures a run of many episodes, and how much of each episode is the laboratory's overhead. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timeEmptyPlaybook } from './episode-parts/empty-playbook.ts'
import { type Goal, median } from './measure/print-goals.ts'
import { runBench } from './measure/run-bench.ts'
import { type PlayedRun, playBenchRun } from './run-parts/play-bench-run.ts'

const MAX_MINUTES = 5
/** Per episode, without the agent's own time. */
const MAX_OVERHEAD_SECONDS = 15
const STAGES = ['provision', 'restore', 'prepare', 'solve', 'verify']

const inSeconds = (ms: number): string => (ms / 1000).toFixed(2)

const sum = (list: readonly number[]): number => list.reduce((total, value) => total + value, 0)

/** Prints the time of each stage, and returns the laboratory's overhead per episode in milliseconds. */
const printStages = (
  { results, ansibleMs, wallMs }: PlayedRun,
  workers: number,
  emptyPlayMs: number,
): number => {
  const timesOf = (stage: string): number[] => results.map(({ stages }) => stages[stage] ?? 0)
  if (!results.every(({ stages }) => 'solve' in stages)) throw new Error('an episode has no "solve" time')
  const mean = (list: readonly number[]): number => sum(list) / results.length
  // The workers run in parallel, so the time of all workers together is a multiple of the wall time.
  const workerMs = wallMs * workers
  console.log(`${results.length} episodes in ${inSeconds(wallMs)} s; mean (and median) of each stage:`)
  for (const stage of STAGES)
    console.log(
      `  ${stage.padEnd(9)} ${inSeconds(mean(timesOf(stage)))} s (${inSeconds(median(timesOf(stage)))} s)`,
    )
  const harnessMs = (workerMs - sum(STAGES.flatMap(timesOf))) / results.length
  console.log(
    `  harness   ${inSeconds(harnessMs)} s: starting and stopping workers, and waiting for the last one`,
  )
  console.log(
    `Within the agent's time (solve), models take ${inSeconds(mean(timesOf('model')))} s and Ansible ${inSeconds(mean(ansibleMs))} s; ` +
      `a play without tasks, outside the sandbox, takes ${inSeconds(emptyPlayMs)} s.`,
  )
  return (workerMs - sum(timesOf('solve'))) / results.length
}

await runBench({
  name: 'run',
  about:
    'Measures a run: by default the suite easy on simple-micro, solved by the Expert. The goals apply to the defaults.',
  options: {
    suite: { about: 'the suite to play', value: 'NAME', text: 'easy' },
    system: { about: 'the system under test', value: 'NAME', text: 'simple-micro' },
    agent: { about: 'the agent', value: 'NAME', text: 'expert' },
    limit: { about: 'at most this many problems', count: 1000, quick: 1 },
    workers: { about: 'how many clusters run at the same time', count: 2, quick: 1 },
  },
  async measure({ values, isQuick }): Promise<Goal[]> {
    const home = mkdtempSync(join(tmpdir(), 'bench-run-'))
    process.env.REMEDIUM_STATE = join(home, 'state')
    try {
      const emptyPlayMs = await timeEmptyPlaybook(isQuick ? 1 : 3)
      const played = await playBenchRun(home, values)
      const { planned, results, wallMs } = played
      const overheadMs = printStages(played, values.workers, emptyPlayMs)
      const unresolved = results.filter(({ outcome }) => outcome !== 'resolved').length
      const isCorrectness = true
      return [
        { what: `${planned} episodes`, measured: wallMs / 60_000, unit: 'min', atMost: MAX_MINUTES },
        {
          what: 'overhead of the laboratory per episode',
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

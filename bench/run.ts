/**
 * The goals of a run: the suite `easy` on simple-micro by the Expert in at most 5 minutes on two clusters, and what the
 * laboratory itself takes of an episode: everything but the agent, without the time of models. `--suite NAME`,
 * `--system NAME`, `--agent NAME`, `--limit N` and `--workers N` make it another one.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadFaults } from '../src/faults/index.ts'
import { loadSuite } from '../src/problems/index.ts'
import { clearAway, openRunFolder, playRun, recordPathOf, runPaths } from '../src/runs/index.ts'
import { type EpisodeResult, RUN_SCHEMA, type RunManifest } from '../src/spec/index.ts'
import { barePlaybook } from './episode-parts/bare-playbook.ts'
import { median, printGoals } from './measure/goals.ts'
import { ansibleTimeOf } from './run-parts/ansible-time.ts'

const MOST_MINUTES = 5
/** Of an episode, everything but the agent. */
const MOST_OVERHEAD_SECONDS = 15

const { values } = parseArgs({
  options: {
    suite: { type: 'string', default: 'easy' },
    system: { type: 'string', default: 'simple-micro' },
    agent: { type: 'string', default: 'expert' },
    limit: { type: 'string', default: '1000' },
    workers: { type: 'string', default: '2' },
  },
})

const inSeconds = (ms: number): string => (ms / 1000).toFixed(2)

const makeManifest = async (): Promise<RunManifest> => {
  const { suite, system, agent } = values
  const problems = (await loadSuite(suite, { system })).slice(0, Number(values.limit))
  return {
    schema: RUN_SCHEMA,
    id: 'bench',
    created: Date.now(),
    command: 'bench',
    commit: 'bench',
    version: '0',
    engine: 'local',
    seed: 'own',
    suites: [suite],
    problems,
    epochs: 1,
    rollback: 'never',
    contenders: [{ name: agent, agent, models: {} }],
    settings: {},
    suiteOf: Object.fromEntries(problems.map(({ id }) => [id, suite])),
  }
}

const home = mkdtempSync(join(tmpdir(), 'bench-run-'))
process.env.REMEDIUM_STATE = join(home, 'state')

interface Played {
  /** Of all that were planned, those that were judged. */
  readonly planned: number
  readonly results: readonly EpisodeResult[]
  readonly ansible: readonly number[]
  readonly wall: number
}

const play = async (): Promise<Played> => {
  const manifest = await makeManifest()
  const folder = openRunFolder(join(home, 'run'), { manifest, commit: 'bench' })
  const asked = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => asked.abort(new Error(`ended by ${signal}`)))
  const faults = await loadFaults()
  const began = performance.now()
  try {
    await playRun(folder, {
      goOn: 'Measure again.',
      workers: Number(values.workers),
      faults,
      signal: asked.signal,
      onEpisode({ finished, planned, result: { problem, outcome, reason, stages } }) {
        const parts = Object.entries(stages).map(([stage, ms]) => `${stage} ${inSeconds(ms)}`)
        const why = outcome === 'resolved' ? '' : `  ${reason}`
        console.log(`${finished}/${planned}  ${outcome}  ${problem}  (${parts.join(', ')})${why}`)
      },
      onFailure: ({ problem }, { message }) => console.log(`repeated: ${problem.id}: ${message}`),
    })
    const wall = performance.now() - began
    const judged = folder.results.filter(({ outcome }) => outcome !== 'void')
    const { records } = runPaths(folder.path)
    const ansible = judged.map(({ episode }) => {
      const lines = readFileSync(recordPathOf(records, episode), 'utf8').trim().split('\n')
      return ansibleTimeOf(lines.map((line) => JSON.parse(line)))
    })
    return { planned: manifest.problems.length, results: judged, ansible, wall }
  } finally {
    folder.close()
    await clearAway()
  }
}

try {
  const bare = await barePlaybook()
  const { planned, results, ansible, wall } = await play()
  const of = (stage: string): number[] => results.map(({ stages }) => stages[stage] ?? 0)
  const sum = (list: readonly number[]): number => list.reduce((total, value) => total + value, 0)
  const each = (list: readonly number[]): number => sum(list) / results.length
  // Workers stand side by side: of each second of the run every one of them has had one.
  const whole = wall * Number(values.workers)
  const named = ['provision', 'restore', 'prepare', 'act', 'verify']
  const rest = whole - sum(named.flatMap(of))
  const overhead = (whole - sum(of('act'))) / results.length
  console.log(`${results.length} episodes in ${inSeconds(wall)} s; of each, as a mean (and median):`)
  for (const stage of named)
    console.log(`  ${stage.padEnd(9)} ${inSeconds(each(of(stage)))} s (${inSeconds(median(of(stage)))} s)`)
  console.log(
    `  harness   ${inSeconds(rest / results.length)} s: starts and ends of workers, waiting for the last one`,
  )
  console.log(
    `Of what the agent takes (act), models take ${inSeconds(each(of('model')))} s, and Ansible ${inSeconds(each(ansible))} s; ` +
      `Ansible alone, with nothing to do and outside of the sandbox, takes ${inSeconds(bare)} s.`,
  )
  process.exitCode = printGoals([
    { what: `${planned} episodes`, measured: wall / 60_000, unit: 'min', atMost: MOST_MINUTES },
    { what: 'episodes without a verdict', measured: planned - results.length, unit: '', atMost: 0 },
    {
      what: 'the laboratory itself, per episode',
      measured: overhead / 1000,
      unit: 's',
      atMost: MOST_OVERHEAD_SECONDS,
    },
    {
      what: 'episodes that are not resolved',
      measured: results.filter(({ outcome }) => outcome !== 'resolved').length,
      unit: '',
      atMost: values.agent === 'expert' ? Math.floor(results.length / 10) : results.length,
    },
  ])
} finally {
  rmSync(home, { recursive: true, force: true })
}

/** Plays a run in a temporary folder, and reads the times of its episodes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadFaults } from '#exam/faults'
import { loadSuite } from '#exam/problems'
import { recordPathOf } from '#lab/records'
import { openRunFolder, playRun, type RunFolder, runPaths } from '#lab/runs'
import { cleanUp } from '#lab/workers'
import { type EpisodeResult, RUN_SCHEMA, type RunManifest } from '#spec'
import { createStopSignal } from '../measure/stop-signal.ts'
import { ansibleTimeOf } from './ansible-time.ts'

export interface BenchRunOptions {
  readonly suite: string
  readonly system: string
  readonly agent: string
  readonly limit: number
  readonly workers: number
}

export interface PlayedRun {
  /** How many episodes were planned. */
  readonly planned: number
  /** The results of episodes with a verdict other than void. */
  readonly results: readonly EpisodeResult[]
  /** For each result, how long Ansible ran. */
  readonly ansibleMs: readonly number[]
  readonly wallMs: number
}

const createManifest = async ({ suite, system, agent, limit }: BenchRunOptions): Promise<RunManifest> => {
  const problems = (await loadSuite(suite, { system })).slice(0, limit)
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

const inSeconds = (ms: number): string => (ms / 1000).toFixed(2)

const describeResult = ({ problem, outcome, reason, stages }: EpisodeResult): string => {
  const parts = Object.entries(stages).map(([stage, ms]) => `${stage} ${inSeconds(ms)}`)
  return `${outcome}  ${problem}  (${parts.join(', ')})${outcome === 'resolved' ? '' : `  ${reason}`}`
}

const readAnsibleTime = (folder: RunFolder, episode: string): number => {
  const path = recordPathOf(runPaths(folder.path).records, episode)
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  return ansibleTimeOf(lines.map((line) => JSON.parse(line)))
}

export const playBenchRun = async (home: string, options: BenchRunOptions): Promise<PlayedRun> => {
  const manifest = await createManifest(options)
  const folder = openRunFolder(join(home, 'run'), { manifest, commit: 'bench' })
  const faults = await loadFaults()
  const started = performance.now()
  try {
    await playRun(folder, {
      resumeHint: 'Start the benchmark again.',
      workers: options.workers,
      faults,
      signal: createStopSignal(),
      onEpisode: ({ finished, planned, result }) =>
        console.log(`${finished}/${planned}  ${describeResult(result)}`),
      onFailure: ({ problem }, { message }) => console.log(`retried: ${problem.id}: ${message}`),
    })
    const wallMs = performance.now() - started
    const results = folder.results.filter(({ outcome }) => outcome !== 'void')
    const ansibleMs = results.map(({ episode }) => readAnsibleTime(folder, episode))
    return { planned: manifest.problems.length, results, ansibleMs, wallMs }
  } finally {
    folder.close()
    await cleanUp()
  }
}

/** Tests the summary of a series, including one that cannot be written. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeManifest } from '#lab/launch'
import { openRunFolder } from '#lab/runs'
import type { EpisodeResult, Problem } from '#spec'
import type { Series } from './plan-series.ts'
import { playExperiments } from './play-experiments.ts'

const PROBLEM: Problem = {
  id: 'a',
  system: 'shop',
  task: 'mitigation',
  faults: [],
  report: 'symptoms',
  seed: 's',
  budget: { steps: 5, seconds: 60 },
}
/** A void result needs no record and is not played again. */
const RESULT: EpisodeResult = {
  episode: 'a.1.1',
  problem: 'a',
  system: 'shop',
  task: 'mitigation',
  faults: [],
  categories: [],
  suite: 'easy',
  contender: 'expert',
  epoch: 1,
  outcome: 'void',
  code: 'no-user-impact',
  blame: 'environment',
  reason: 'no user impact',
  judged: {},
  stages: {},
  tries: 1,
  ended: 0,
  metrics: {
    steps: 0,
    tokens: { input: 0, output: 0 },
    costUsd: 0,
    collateralDamage: 0,
    journeyRunsFailed: 0,
    journeyRuns: 0,
  },
}

let home: string
let printed: string[]
let series: Series
const { signal } = new AbortController()
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'play-experiments-'))
  vi.stubEnv('TMPDIR', home)
  vi.stubEnv('REMEDIUM_STATE', join(home, 'state'))
  printed = []
  const [root, title, problems] = [process.cwd(), 'easy', [PROBLEM]]
  const options = { problems, seed: undefined, settings: {}, command: 'remedium run-all', root }
  series = {
    ...options,
    title,
    method: 'expert',
    model: undefined,
    workers: 1,
    anyCommit: true,
    out: join(home, 'run'),
    outOption: 'LOG_DIR',
    resumeHint: 'Run the same command to resume.',
    savePath: join(home, 'conversations'),
    savePathOption: 'LOG_DIR',
    log: join(home, 'expert.log'),
    progress: (line) => printed.push(line),
  }
  const manifest = makeManifest({
    ...options,
    suites: [title],
    suiteOf: { a: title },
    epochs: 1,
    rollback: 'never',
    contenders: [{ name: 'expert', agent: 'expert', models: {} }],
  })
  const folder = openRunFolder(series.out, { manifest, commit: manifest.commit })
  folder.add(RESULT)
  folder.close()
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
})

it('writes the summary to the log file and does not print it', async () => {
  const { text } = await playExperiments(series, signal)
  expect(readFileSync(series.log!, 'utf8')).toBe(`${text}\n`)
  expect(printed.join('\n')).not.toContain(text)
})

it('prints the summary if the log file cannot be written, and leaves no partial file', async () => {
  mkdirSync(series.log!)
  await expect(playExperiments(series, signal)).rejects.toMatchObject({
    code: 'record-lost',
    hint: 'Finished episodes are kept. Free some disk space. Run the same command to resume.',
    message: expect.stringContaining('expert.log cannot be written: EISDIR'),
  })
  expect(printed.join('\n')).toContain('Total experiments: 1')
  expect(readdirSync(home)).not.toContain('expert.log.part')
})

it('starts no episode if the signal is already aborted', async () => {
  const aborted = AbortSignal.abort(new Error('enough'))
  await expect(playExperiments(series, aborted)).rejects.toThrow('enough')
  expect([printed, readdirSync(home)]).toEqual([[], ['run']])
})

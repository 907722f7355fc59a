/** Shows what becomes of the figures of a series, and where they cannot be written, such as on a full disk. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openRunFolder } from '../../runs/index.ts'
import type { EpisodeResult, Problem } from '../../spec/index.ts'
import { makeManifest } from '../runs/make-manifest.ts'
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
/** It needs no record, and is not played again. */
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
  code: 'not-felt',
  blame: 'environment',
  reason: 'nobody feels it',
  judged: {},
  stages: {},
  tries: 1,
  ended: 0,
  metrics: {
    steps: 0,
    tokens: { input: 0, output: 0 },
    costUsd: 0,
    collateralDamage: 0,
    walksLost: 0,
    walks: 0,
  },
}

let home: string
let said: string[]
let series: Series
const { signal } = new AbortController()
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'play-experiments-'))
  vi.stubEnv('TMPDIR', home)
  vi.stubEnv('REMEDIUM_STATE', join(home, 'state'))
  said = []
  const [root, title, problems] = [process.cwd(), 'easy', [PROBLEM]]
  const wish = { problems, seed: undefined, settings: {}, command: 'remedium run-all', root }
  series = {
    ...wish,
    title,
    method: 'expert',
    model: undefined,
    workers: 1,
    anyCommit: true,
    out: join(home, 'run'),
    outOption: 'LOG_DIR',
    goOn: 'The same command goes on.',
    savePath: join(home, 'conversations'),
    savePathOption: 'LOG_DIR',
    log: join(home, 'expert.log'),
    progress: (line) => said.push(line),
  }
  const manifest = makeManifest({
    ...wish,
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

it('keeps its figures, and says nothing beside', async () => {
  const { text } = await playExperiments(series, signal)
  expect(readFileSync(series.log!, 'utf8')).toBe(`${text}\n`)
  expect(said.join('\n')).not.toContain(text)
})

it('shows the figures where their file cannot be written, and leaves no part of it', async () => {
  mkdirSync(series.log!)
  await expect(playExperiments(series, signal)).rejects.toMatchObject({
    code: 'record-lost',
    hint: 'What has ended is kept; make room. The same command goes on.',
    message: expect.stringContaining('expert.log cannot be written: EISDIR'),
  })
  expect(said.join('\n')).toContain('Total experiments: 1')
  expect(readdirSync(home)).not.toContain('expert.log.part')
})

it('is not begun where it was ended before', async () => {
  const aborted = AbortSignal.abort(new Error('enough'))
  await expect(playExperiments(series, aborted)).rejects.toThrow('enough')
  expect([said, readdirSync(home)]).toEqual([[], ['run']])
})

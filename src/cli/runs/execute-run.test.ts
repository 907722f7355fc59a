/** Shows what becomes of a run that has ended where its figures cannot be kept, such as on a full disk. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openRunFolder, type RunFolder } from '../../runs/index.ts'
import type { EpisodeResult, Problem } from '../../spec/index.ts'
import { executeRun } from './execute-run.ts'
import { makeManifest } from './make-manifest.ts'

const PROBLEM: Problem = {
  id: 'a',
  system: 'shop',
  task: 'mitigation',
  faults: [],
  report: 'symptoms',
  seed: 's',
  budget: { steps: 5, seconds: 60 },
}
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
  outcome: 'resolved',
  reason: 'well',
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
const TABLE = /RESOLVED.*\nexpert /s

let home: string
let folder: RunFolder
let said: string[]
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'execute-run-'))
  vi.stubEnv('TMPDIR', home)
  vi.stubEnv('REMEDIUM_STATE', join(home, 'state'))
  said = []
  const manifest = makeManifest({
    suites: ['easy'],
    problems: [PROBLEM],
    suiteOf: { a: 'easy' },
    epochs: 1,
    seed: undefined,
    rollback: 'never',
    settings: {},
    command: 'remedium run',
    root: process.cwd(),
    contenders: [{ name: 'expert', agent: 'expert', models: {} }],
  })
  folder = openRunFolder(join(home, 'run'), { manifest, commit: manifest.commit })
  folder.add(RESULT)
})
afterEach(() => {
  folder.close()
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
})

const execute = (onLine: () => void = () => {}) =>
  executeRun(folder, {
    workers: 1,
    kubectl: undefined,
    goOn: 'Go on.',
    signal: new AbortController().signal,
    progress(line) {
      said.push(line)
      onLine()
    },
  })

it('leaves the table of a run that has gone well to whoever asked for it', async () => {
  expect(await execute()).toMatchObject({ contenders: [{ name: 'expert' }] })
  expect(readdirSync(folder.path)).toContain('summary.json')
  expect(said.join('\n')).not.toMatch(TABLE)
})

it('shows the table where the summary cannot be written, says why, and leaves no part of it', async () => {
  mkdirSync(join(folder.path, 'summary.json'))
  await expect(execute()).rejects.toMatchObject({
    code: 'record-lost',
    hint: 'What has ended is kept; make room. Go on.',
    message: expect.stringContaining('summary.json cannot be written: EISDIR'),
  })
  expect(said.at(-1)).toMatch(TABLE)
  expect(readdirSync(folder.path)).not.toContain('summary.json.part')
})

it('has its result also where something cannot be cleared away', async () => {
  // After the first time, since that comes before anything is said.
  const summary = await execute(() => vi.stubEnv('TMPDIR', join(home, 'nowhere')))
  expect(summary).toMatchObject({ contenders: [{ name: 'expert' }] })
  expect(readdirSync(folder.path)).toContain('summary.json')
})

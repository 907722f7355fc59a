/** Tests the end of a run, including one whose summary cannot be written. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createScriptedServer } from '#examinee/models/testing'
import { openRunFolder, type RunFolder } from '#lab/runs'
import type { EpisodeResult, Problem } from '#spec'
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
    journeyRunsFailed: 0,
    journeyRuns: 0,
  },
}
const TABLE = /RESOLVED.*\nexpert /s

let home: string
let folder: RunFolder
let printed: string[]
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'execute-run-'))
  vi.stubEnv('TMPDIR', home)
  vi.stubEnv('REMEDIUM_STATE', join(home, 'state'))
  printed = []
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

const executeUnreachable = async (url: string) => {
  const contenders = [{ name: 'react x', agent: 'react', models: { solver: 'compatible:x' } }]
  const manifest = { ...folder.manifest, contenders, settings: { baseUrl: url } }
  const unreachable = openRunFolder(join(home, 'other'), { manifest, commit: manifest.commit })
  try {
    await executeRun(unreachable, {
      workers: 1,
      kubectl: undefined,
      resumeHint: 'Resume it.',
      signal: new AbortController().signal,
      progress: (line) => printed.push(line),
    })
  } finally {
    unreachable.close()
  }
}

const execute = (onLine: () => void = () => {}) =>
  executeRun(folder, {
    workers: 1,
    kubectl: undefined,
    resumeHint: 'Resume it.',
    signal: new AbortController().signal,
    progress(line) {
      printed.push(line)
      onLine()
    },
  })

it('returns the summary of a finished run, and does not print its table', async () => {
  expect(await execute()).toMatchObject({ contenders: [{ name: 'expert' }] })
  expect(readdirSync(folder.path)).toContain('summary.json')
  expect(printed.join('\n')).not.toMatch(TABLE)
})

it('prints the table if the summary cannot be written, and leaves no partial file', async () => {
  mkdirSync(join(folder.path, 'summary.json'))
  await expect(execute()).rejects.toMatchObject({
    code: 'record-lost',
    hint: 'Finished episodes are kept. Free some disk space. Resume it.',
    message: expect.stringContaining('summary.json cannot be written: EISDIR'),
  })
  expect(printed.at(-1)).toMatch(TABLE)
  expect(readdirSync(folder.path)).not.toContain('summary.json.part')
})

it('starts no worker if the server of a model is dead', async () => {
  const server = await createScriptedServer([])
  await server.close()
  await expect(executeUnreachable(server.url)).rejects.toMatchObject({ code: 'model-failed' })
  expect(printed).toEqual([])
  expect(readdirSync(join(home, 'other')).sort()).toEqual(['manifest.json', 'records', 'results.jsonl'])
})

it('returns the summary even if the clean-up fails', async () => {
  // The clean-up before the first line of progress must succeed.
  const summary = await execute(() => vi.stubEnv('TMPDIR', join(home, 'nowhere')))
  expect(summary).toMatchObject({ contenders: [{ name: 'expert' }] })
  expect(readdirSync(folder.path)).toContain('summary.json')
})

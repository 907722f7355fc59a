/** Tests with real worker processes that a run produces each verdict once, even if workers fail. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  exampleManifest,
  exampleProblem,
  exampleResult,
  SCRIPTED_WORKER,
  SCRIPTED_WORKER_JOURNAL,
} from '#lab/testing'
import { openRunFolder, type RunFolder, readRun } from '../folder/run-folder.ts'
import { type PlayOptions, playRun, unfinishedOf } from './play-run.ts'

let home: string
let folder: RunFolder
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'play-run-'))
  process.env[SCRIPTED_WORKER_JOURNAL] = join(home, 'journal')
  writeFileSync(join(home, 'journal'), '')
})
afterEach(() => {
  folder.close()
  rmSync(home, { recursive: true })
})

const begin = (scripts: Record<string, string[]>, over = {}): void => {
  const problems = Object.entries(scripts).map(([id, expert]) =>
    exampleProblem(id, { seed: JSON.stringify({ expert }) }),
  )
  folder = openRunFolder(join(home, 'run'), {
    manifest: exampleManifest({ problems, ...over }),
    commit: 'c1',
  })
}

const play = (options: Partial<PlayOptions> = {}): Promise<void> =>
  playRun(folder, {
    workers: 1,
    faults: new Map(),
    signal: new AbortController().signal,
    program: SCRIPTED_WORKER,
    resumeHint: 'Repeat the command to resume.',
    ...options,
  })

const outcomes = (): string[] =>
  folder.results.map(({ episode, outcome, tries }) => `${episode} ${outcome} ${tries}`)

describe('a run', () => {
  it('plays each problem once for each contender and epoch, and stores the results', async () => {
    const contenders = ['expert', 'null'].map((name) => ({ name, agent: name, models: {} }))
    begin({ a: ['lose'] }, { contenders, epochs: 2 })
    const seen: string[] = []
    await play({ onEpisode: ({ finished, planned }) => seen.push(`${finished}/${planned}`) })
    expect(outcomes()).toEqual([
      'a.1.1 unresolved 1',
      'a.2.1 resolved 1',
      'a.1.2 unresolved 1',
      'a.2.2 resolved 1',
    ])
    expect(seen).toEqual(['1/4', '2/4', '3/4', '4/4'])
    expect(readRun(folder.path).results).toEqual(folder.results)
  })

  it('resumes after an interruption, without repeating finished episodes', async () => {
    begin({ a: [], b: ['wait'], c: [] })
    const asked = new AbortController()
    const onStage: PlayOptions['onStage'] = ({ problem }) => {
      if (problem.id === 'b') asked.abort(new Error('enough'))
    }
    await expect(play({ signal: asked.signal, onStage })).rejects.toThrow('enough')
    expect(outcomes()).toEqual(['a.1.1 resolved 1'])
    folder.close()
    folder = openRunFolder(folder.path, { commit: 'c1' })
    const started: string[] = []
    const starts: unknown[] = []
    await play({
      onStart: ({ planned, finished }) => starts.push([planned, finished.map(({ episode }) => episode)]),
      onStage: ({ problem }) => started.push(problem.id),
    })
    expect(starts).toEqual([[3, ['a.1.1']]])
    expect(started).toEqual(['b', 'c'])
    expect(outcomes()).toEqual(['a.1.1 resolved 1', 'b.1.1 resolved 1', 'c.1.1 resolved 1'])
  })

  it('retries harness failures at once and provider failures later, up to three tries', async () => {
    begin({ a: ['no-answer'], b: ['die'], c: ['fail', 'fail', 'fail'] })
    await play()
    expect(outcomes()).toEqual(['b.1.1 resolved 2', 'c.1.1 void 3', 'a.1.1 resolved 2'])
    expect(folder.results[1]).toMatchObject({ blame: 'harness', code: 'record-lost', tries: 3 })
    expect(unfinishedOf(folder.manifest, folder.results).map(({ episode }) => episode)).toEqual(['c.1.1'])
  })

  it('ends if no provider answers any more, or if the operator made a mistake', async () => {
    const silent = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].map((id) => [id, ['no-answer', 'no-answer', 'no-answer']]),
    )
    begin(silent)
    await expect(play()).rejects.toMatchObject({
      blame: 'provider',
      hint: 'No model answers any more. Repeat the command to resume.',
    })
    folder.close()
    rmSync(folder.path, { recursive: true })
    begin({ z: ['misuse'] })
    await expect(play()).rejects.toMatchObject({ code: 'bad-argument', message: 'There is no such thing.' })
    expect(outcomes()).toEqual([])
  })

  it('continues while only one of two models is down, until no other has episodes left', async () => {
    const contenders = ['expert', 'null'].map((name) => ({ name, agent: name, models: {} }))
    const silent = ['no-answer', 'no-answer', 'no-answer']
    begin({ a: silent, b: silent, c: silent, d: silent }, { contenders })
    await expect(play()).rejects.toMatchObject({ blame: 'provider' })
    expect(outcomes().filter((line) => line.includes('.2.1'))).toEqual(
      ['a', 'b', 'c', 'd'].map((id) => `${id}.2.1 resolved 1`),
    )
    expect(unfinishedOf(folder.manifest, folder.results).map(({ episode }) => episode)).toEqual(
      ['a', 'b', 'c', 'd'].map((id) => `${id}.1.1`),
    )
  })

  it.each([
    ['line', 1],
    ['file beside it', 2],
  ])('ends if a result cannot be stored because its %s cannot be written', async (part, kept) => {
    begin({ a: [], b: [], c: [] })
    const full = new Error('no space left')
    const seen: string[] = []
    const own = folder
    const add: RunFolder['add'] = (result) => {
      if (part === 'line' && result.problem === 'b') throw full
      own.add(result)
    }
    folder = Object.create(own, { add: { value: add } })
    const onEpisode: PlayOptions['onEpisode'] = ({ result: { problem } }) => {
      if (problem === 'b') throw full
    }
    await expect(play({ onEpisode, onStage: ({ problem }) => seen.push(problem.id) })).rejects.toBe(full)
    expect({ seen, kept: outcomes().length }).toEqual({ seen: ['a', 'b'], kept })
  })

  it('asks the operator, and denies an action that is not approved', async () => {
    begin({ a: ['ask'], b: ['ask'] })
    await play({ onQuestion: async ({ problem }, text) => problem.id === 'a' && text === 'May I?' })
    expect(outcomes()).toEqual(['a.1.1 resolved 1', 'b.1.1 unresolved 1'])
  })

  it('does not replay a fault that does not affect users', () => {
    begin({ a: [], b: [] })
    const unaffected = exampleResult('a.1.1', { outcome: 'void', code: 'no-user-impact' })
    expect(unfinishedOf(folder.manifest, [unaffected]).map(({ episode }) => episode)).toEqual(['b.1.1'])
  })
})

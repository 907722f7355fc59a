/** Tests with real worker processes that a run produces each verdict once, even if workers fail. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readRecord } from '#exam/episode'
import { judgeRecord } from '#exam/oracles'
import {
  exampleManifest,
  exampleProblem,
  exampleResult,
  loadExampleSystem,
  SCRIPTED_WORKER,
  SCRIPTED_WORKER_JOURNAL,
} from '#lab/testing'
import { createSystemView } from '#world/system-view'
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

const openRun = (scripts: Record<string, string[]>, over = {}): void => {
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
    loadSystem: loadExampleSystem,
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
    openRun({ a: ['lose'] }, { contenders, epochs: 2 })
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
    openRun({ a: [], b: ['wait'], c: [] })
    const interruption = new AbortController()
    const onStage: PlayOptions['onStage'] = ({ problem }) => {
      if (problem.id === 'b') interruption.abort(new Error('enough'))
    }
    await expect(play({ signal: interruption.signal, onStage })).rejects.toThrow('enough')
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
    openRun({ a: ['no-answer'], b: ['die'], c: ['fail', 'fail', 'fail'] })
    await play()
    expect(outcomes()).toEqual(['b.1.1 resolved 2', 'c.1.1 void 3', 'a.1.1 resolved 2'])
    expect(folder.results[1]).toMatchObject({ blame: 'harness', code: 'record-lost', tries: 3 })
    expect(unfinishedOf(folder.manifest, folder.results).map(({ episode }) => episode)).toEqual(['c.1.1'])
  })

  it('keeps a record of each void try, with what a killed worker has recorded', async () => {
    openRun({ a: ['die-in-episode', 'die', 'fail'], b: ['die-in-episode'] })
    await play()
    expect(outcomes()).toEqual(['a.1.1 void 3', 'b.1.1 resolved 2'])
    const records = join(folder.path, 'records')
    const names = ['a.1.1.void-1.jsonl', 'a.1.1.void-2.jsonl', 'a.1.1.void-3.jsonl', 'b.1.1.void-1.jsonl']
    expect(readdirSync(records).sort()).toEqual(names)
    const read = names.map((name) => readRecord(join(records, name)))
    const ends = ['harness-failed', 'verdict-given']
    const recorded = ['episode-started', 'baseline-taken', 'fault-injected', 'report-given', 'solver-started']
    expect(read.map((events) => events.map(({ type }) => type))).toEqual([
      [...recorded, ...ends],
      ['episode-started', ...ends],
      ['episode-started', ...ends],
      [...recorded, ...ends],
    ])
    for (const events of read) {
      expect(events[0]).toMatchObject({ solver: 'expert', problem: { system: 'shop' } })
      const [failure, end] = events.slice(-2)
      const system = createSystemView(await loadExampleSystem('shop'))
      const verdict = judgeRecord(events, system, new Map())
      expect(end).toMatchObject({ verdict })
      expect(verdict).toMatchObject({ outcome: 'void', reason: (failure as { message: string }).message })
    }
    expect(folder.results[0]).toMatchObject({ code: 'record-lost', reason: 'The disk is full.' })
  })

  it('does not retry an episode that the engine does not support', async () => {
    openRun({ a: ['unsupported'], b: [] })
    await play()
    expect(outcomes()).toEqual(['a.1.1 void 1', 'b.1.1 resolved 1'])
    expect(folder.results[0]).toMatchObject({
      code: 'unsupported',
      reason: 'The engine cannot run the playbook.',
    })
    expect(unfinishedOf(folder.manifest, folder.results)).toEqual([])
  })

  it('ends if no provider answers, or if the operator made a mistake', async () => {
    const failingScripts = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].map((id) => [id, ['no-answer', 'no-answer', 'no-answer']]),
    )
    openRun(failingScripts)
    await expect(play()).rejects.toMatchObject({
      blame: 'provider',
      hint: 'No model answers any more. Repeat the command to resume.',
    })
    folder.close()
    rmSync(folder.path, { recursive: true })
    openRun({ z: ['misuse'] })
    await expect(play()).rejects.toMatchObject({ code: 'bad-argument', message: 'There is no such thing.' })
    expect(outcomes()).toEqual([])
  })

  it('continues while one of two models is down, until only its episodes are left', async () => {
    const contenders = ['expert', 'null'].map((name) => ({ name, agent: name, models: {} }))
    const failingScript = ['no-answer', 'no-answer', 'no-answer']
    openRun({ a: failingScript, b: failingScript, c: failingScript, d: failingScript }, { contenders })
    await expect(play()).rejects.toMatchObject({ blame: 'provider' })
    expect(outcomes().filter((line) => line.includes('.2.1'))).toEqual(
      ['a', 'b', 'c', 'd'].map((id) => `${id}.2.1 resolved 1`),
    )
    expect(unfinishedOf(folder.manifest, folder.results).map(({ episode }) => episode)).toEqual(
      ['a', 'b', 'c', 'd'].map((id) => `${id}.1.1`),
    )
  })

  it.each([
    ['storing a result', 1],
    ['reporting a result', 2],
  ])('ends if %s fails', async (failing, stored) => {
    openRun({ a: [], b: [], c: [] })
    const storageError = new Error('no space left')
    const seen: string[] = []
    const original = folder
    const add: RunFolder['add'] = (result) => {
      if (failing === 'storing a result' && result.problem === 'b') throw storageError
      original.add(result)
    }
    folder = Object.create(original, { add: { value: add } })
    const onEpisode: PlayOptions['onEpisode'] = ({ result: { problem } }) => {
      if (problem === 'b') throw storageError
    }
    await expect(play({ onEpisode, onStage: ({ problem }) => seen.push(problem.id) })).rejects.toBe(
      storageError,
    )
    expect({ seen, stored: outcomes().length }).toEqual({ seen: ['a', 'b'], stored })
  })

  it('asks the operator, and denies an action that is not approved', async () => {
    openRun({ a: ['ask'], b: ['ask'] })
    await play({ onQuestion: async ({ problem }, text) => problem.id === 'a' && text === 'May I?' })
    expect(outcomes()).toEqual(['a.1.1 resolved 1', 'b.1.1 unresolved 1'])
  })

  it('does not play an episode again that was void because users were not affected', () => {
    openRun({ a: [], b: [] })
    const unaffected = exampleResult('a.1.1', { outcome: 'void', code: 'no-user-impact' })
    expect(unfinishedOf(folder.manifest, [unaffected]).map(({ episode }) => episode)).toEqual(['b.1.1'])
  })
})

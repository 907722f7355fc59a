/** Tests that an external program receives its verdict and reward, unless the episode is void or discarded. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AttemptOutcome, Incident } from '#exam/episode'
import { createModelCache } from '#examinee/models'
import { exampleManifest, exampleProblem, exampleRecord } from '#lab/testing'
import type { LabClusterKeeper, OpenedLabCluster } from '#lab/workers'
import type { RunSettings, SolverContext, Verdict } from '#spec'
import { planEpisodes } from '../play/plan-episodes.ts'
import { playEpisode } from './play-episode.ts'

const problem = exampleProblem('a')
const EPISODE = '0123456789abcdef'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'report-verdict-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The parts of the context that the agent `external` uses when it submits. */
const toSolverContext = (): SolverContext =>
  ({
    episode: EPISODE,
    briefing: {
      task: problem.task,
      system: 'shop',
      namespace: 'shop',
      report: { kind: 'none', text: '' },
      budget: problem.budget,
    },
    signal: new AbortController().signal,
    waitOutside: <T>(work: Promise<T>): Promise<T> => work,
    ...Object.fromEntries(
      ['spend', 'record', 'note', 'answer', 'registerWork', 'setExcuse', 'giveUp'].map((name) => [
        name,
        () => {},
      ]),
    ),
  }) as unknown as SolverContext

interface Trial {
  readonly verdict: Pick<Verdict, 'outcome' | 'reason'>
  readonly settings?: RunSettings
  /** Whether the run is interrupted while the agent works. */
  readonly isAborted?: boolean
}

/** Plays an episode with a program that writes its input to a file, unless it is killed first. */
const play = async ({ verdict, settings = { reportsVerdict: true }, isAborted = false }: Trial) => {
  const notes = join(folder, 'notes')
  const aborting = new AbortController()
  const incident: Pick<Incident, 'problem' | 'attempt'> = {
    problem,
    async attempt(solver, { sink } = {}) {
      await solver.solve(toSolverContext())
      const events = exampleRecord().map((event) =>
        event.type === 'verdict-given' ? { ...event, verdict: { ...event.verdict, ...verdict } } : event,
      )
      for (const event of events) sink?.(event)
      if (isAborted) aborting.abort(new Error('interrupted'))
      return { events, verdict } as unknown as AttemptOutcome
    },
  }
  const labClusters: LabClusterKeeper = {
    async open() {
      const laboratory = { prepare: async () => incident as Incident }
      return {
        provisionMs: 0,
        labCluster: { cluster: { server: 'none' }, laboratory },
      } as unknown as OpenedLabCluster
    },
    checkClock() {},
    async restore() {},
    async close() {},
  }
  const contenders = [{ name: 'external', agent: 'external', models: {} }]
  const job = {
    problem,
    planned: planEpisodes(exampleManifest({ problems: [problem], contenders }))[0]!,
    engine: 'local',
    rollback: 'never' as const,
    settings: {
      ...settings,
      external: `echo '{"submit": {}}'; cat > ${notes}`,
      agentOptions: { external: { user: 'root' } },
    },
    record: join(folder, 'a.1.1.jsonl'),
  }
  const context = {
    signal: aborting.signal,
    stage() {},
    alive() {},
    result() {},
    ask: async () => false,
    onInput() {},
  }
  const error = await playEpisode(job, context, {
    labClusters,
    faults: new Map(),
    models: createModelCache(),
  }).catch((thrown: Error) => thrown)
  return { error, read: () => (existsSync(notes) ? readFileSync(notes, 'utf8') : '') }
}

const parseLines = (lines: string): unknown[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

it.each([
  ['resolved', 1],
  ['unresolved', 0],
] as const)('sends the verdict %s with the reward %d', async (outcome, reward) => {
  const { read, error } = await play({ verdict: { outcome, reason: 'as it is' } })
  expect(error).toBeUndefined()
  const messages = parseLines(read())
  expect(messages[0]).toMatchObject({ begin: { episode: EPISODE, reportsVerdict: true } })
  expect(messages.at(-1)).toEqual({ verdict: { outcome, reward, reason: 'as it is' } })
})

it('sends no verdict unless the run asks for it', async () => {
  const { read } = await play({ verdict: { outcome: 'resolved', reason: 'well' }, settings: {} })
  await vi.waitFor(() => expect(parseLines(read()).at(-1)).toEqual({ end: { reason: 'submitted' } }))
  expect(parseLines(read())[0]).toMatchObject({ begin: { reportsVerdict: false } })
})

it('sends no verdict for a void episode', async () => {
  const { read, error } = await play({ verdict: { outcome: 'void', reason: 'no disk' } })
  expect(error?.message).toContain('no disk')
  expect(read()).not.toContain('{"verdict"')
})

it('sends no verdict if the record was discarded because the run was interrupted', async () => {
  const { read, error } = await play({ verdict: { outcome: 'resolved', reason: 'well' }, isAborted: true })
  expect(error?.message).toBe('interrupted')
  expect(read()).not.toContain('{"verdict"')
  expect(existsSync(join(folder, 'a.1.1.jsonl'))).toBe(false)
})

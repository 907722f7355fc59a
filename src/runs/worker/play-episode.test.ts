/** Shows what a worker tells of an episode while it is played, and of one that could not be judged. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Prepared } from '../../episode/index.ts'
import { keepModels } from '../../models/index.ts'
import type { EpisodeEvent, PlannedFault } from '../../spec/index.ts'
import type { AgentJob } from '../play/agent-job.ts'
import { planEpisodes } from '../play/plan-episodes.ts'
import { madeManifest, madeProblem } from '../testing/made-run.ts'
import type { ReadyBench } from './keep-bench.ts'
import { playEpisode } from './play-episode.ts'

const problem = madeProblem('a')

type Played = Pick<Prepared, 'problem' | 'shown' | 'attempt'>
const FAILURE: EpisodeEvent = {
  at: 1,
  type: 'harness-failed',
  code: 'key-missing',
  message: 'wrong key',
  blame: 'operator',
}

/** As the laboratory leaves it where the key of a model is wrong. */
const spoiltAfter = (before: readonly object[]): Played => ({
  problem,
  shown: true,
  async attempt(_, { sink } = {}) {
    const events = [...before, FAILURE] as EpisodeEvent[]
    for (const event of events) sink?.(event)
    const verdict = { outcome: 'void', blame: 'operator', reason: 'wrong key' }
    return { events, verdict } as unknown as Awaited<ReturnType<Prepared['attempt']>>
  },
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'play-episode-'))
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

interface Heard {
  stage?(text: string): void
  alive?(): void
  prepare?(): Promise<void>
}

/** Never resolves well: nothing here is judged. */
const play = (
  played: Played,
  { stage = () => {}, alive = () => {}, prepare = async () => {} }: Heard = {},
): Promise<void> => {
  const { problem } = played
  const job: AgentJob = {
    problem,
    planned: planEpisodes(madeManifest({ problems: [problem] }))[0]!,
    rollback: 'never',
    attempts: [{ name: 'a.1.1' }],
    settings: {},
    record: join(folder, 'a.1.1.jsonl'),
  }
  const bench = { lab: { prepare: () => prepare().then(() => played) }, cluster: { server: 'none' } }
  const benches = {
    ready: async () => ({ provision: 0, restore: 0, bench }) as unknown as ReadyBench,
    leave() {},
    async close() {},
  }
  const context = {
    signal: new AbortController().signal,
    stage,
    alive,
    finished() {},
    ask: async () => false,
  }
  return playEpisode(job, context, { benches, faults: new Map(), models: keepModels() })
}

it('says whose fault it was, by which code the run ends, what was paid in vain, and keeps no record of it', async () => {
  const answers = [
    { usage: { input: 100, output: 7 }, costUsd: 0.25 },
    { usage: { input: 20, output: 3 }, costUsd: 0.5 },
  ]
  const called = answers.map((answer) => ({ at: 1, type: 'model-called', model: 'x:y', answer }))
  await expect(play(spoiltAfter(called))).rejects.toMatchObject({
    blame: 'operator',
    code: 'key-missing',
    message: 'wrong key (until then: 120 tokens in, 10 out, $0.7500)',
  })
  expect(readdirSync(folder)).toEqual([])
})

it('tells what is done just now, and no name that only the agent knows', async () => {
  const names = ['get_alerts', '\x1b[8m', 'get_alert', 'run-playbook', 'submit']
  const taken = names.map((action) => ({ at: 1, type: 'step-taken', action, input: {}, observation: '' }))
  const stages: string[] = []
  await expect(play(spoiltAfter(taken), { stage: (text) => stages.push(text) })).rejects.toThrow('wrong key')
  expect(stages.filter((text) => text.startsWith('expert at a: '))).toEqual([
    ...['expert at a: get_alerts', 'expert at a: an unknown action', 'expert at a: an unknown action'],
    ...['expert at a: run-playbook', 'expert at a: submit'],
  ])
})

const sudden = { fault: 'x', target: { service: 's' }, params: {}, shape: { kind: 'sudden' } } as const
const SLOW: readonly PlannedFault[] = [
  { ...sudden, shape: { kind: 'gradual', overMs: 30_000 } },
  { ...sudden, afterMs: 90_000 },
  { ...sudden, shape: { kind: 'transient', forMs: 180_000 } },
]
const SLOW_MS = 300_000

it('says that it lives for as long as the faults say that they take, before the agent and in judging', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const slow = { ...problem, faults: SLOW }
  const alive = vi.fn()
  const began = Promise.withResolvers<void>()
  const forever = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 3_600_000))
  const spoilt = spoiltAfter([])
  const played: Played = {
    problem: slow,
    shown: true,
    async attempt(...given) {
      began.resolve()
      await forever()
      return spoilt.attempt(...given)
    },
  }
  const playing = play(played, { alive, prepare: forever })
  playing.catch(() => {})
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(alive).toHaveBeenCalledTimes(SLOW_MS / 15_000)
  await began.promise
  alive.mockClear()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(alive).toHaveBeenCalledTimes((60_000 + 300_000 + SLOW_MS) / 15_000)
  await expect(playing).rejects.toThrow('wrong key')
})

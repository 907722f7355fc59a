/** Tests the reports of a worker while it plays an episode, and about a void episode. */
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AttemptOutcome, Incident } from '#exam/episode'
import { createModelCache } from '#examinee/models'
import { defined } from '#kit'
import { checkLikeMicroRemed } from '#lab/micro-remed/check'
import { exampleManifest, exampleProblem } from '#lab/testing'
import type { LabClusterKeeper, OpenedLabCluster } from '#lab/workers'
import type { EpisodeEvent, PlannedFault } from '#spec'
import { planEpisodes } from '../play/plan-episodes.ts'
import type { RunJob } from '../play/run-job.ts'
import { playEpisode } from './play-episode.ts'

const problem = exampleProblem('a')

type FakeIncident = Pick<Incident, 'problem' | 'hasImpact' | 'attempt' | 'restore'> &
  Partial<Pick<Incident, 'events'>>
const FAILURE: EpisodeEvent = {
  at: 1,
  type: 'harness-failed',
  code: 'key-missing',
  message: 'wrong key',
  blame: 'operator',
}

/** Returns an incident whose attempts are void after these events, because the key of a model is wrong. */
const createVoidIncident = (precedingEvents: readonly object[]): FakeIncident => ({
  problem,
  hasImpact: true,
  async attempt(_, { sink } = {}) {
    const events = [...precedingEvents, FAILURE] as EpisodeEvent[]
    for (const event of events) sink?.(event)
    const verdict = { outcome: 'void', code: 'key-missing', blame: 'operator', reason: 'wrong key' }
    return { events, verdict } as unknown as AttemptOutcome
  },
  async restore() {},
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'play-episode-'))
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

interface PlayOptions {
  stage?(text: string): void
  alive?(): void
  prepare?(): Promise<void>
  restore?(): Promise<void>
  readonly settings?: RunJob['settings']
  readonly agent?: string
}

/** Always rejects, because all attempts in these tests are void. */
const play = (
  incident: FakeIncident,
  {
    stage = () => {},
    alive = () => {},
    prepare = async () => {},
    restore = async () => {},
    settings = {},
    agent = 'expert',
  }: PlayOptions = {},
): Promise<void> => {
  const { problem } = incident
  const contenders = [{ name: 'expert', agent, models: {} }]
  const job: RunJob = {
    problem,
    planned: planEpisodes(exampleManifest({ problems: [problem], contenders }))[0]!,
    engine: 'local',
    rollback: 'never',
    settings,
    record: join(folder, 'a.1.1.jsonl'),
  }
  const labClusters: LabClusterKeeper = {
    async open() {
      const laboratory = { prepare: () => prepare().then(() => incident as Incident) }
      return {
        provisionMs: 0,
        labCluster: { cluster: { server: 'none' }, laboratory },
      } as unknown as OpenedLabCluster
    },
    checkClock() {},
    restore,
    async close() {},
  }
  const context = {
    signal: new AbortController().signal,
    stage,
    alive,
    result() {},
    ask: async () => false,
    onInput() {},
  }
  return playEpisode(job, context, { labClusters, faults: new Map(), models: createModelCache() })
}

it('reports the code, blame and cost of a void episode, and leaves its record to the run', async () => {
  const answers = [
    { usage: { input: 100, output: 7 }, costUsd: 0.25 },
    { usage: { input: 20, output: 3 }, costUsd: 0.5 },
  ]
  const called = answers.map((answer) => ({ at: 1, type: 'model-called', model: 'x:y', answer }))
  const tokens = { input: 5, output: 1 }
  const reported = { at: 1, type: 'usage-reported', tokens, costUsd: 0.1 }
  await expect(play(createVoidIncident([...called, reported]))).rejects.toMatchObject({
    blame: 'operator',
    code: 'key-missing',
    message: 'wrong key (so far: 125 tokens in, 11 out, $0.8500)',
  })
  expect(readdirSync(folder)).toEqual([`a.1.1.jsonl.${process.pid}.part`])
})

/** The open files of this process in the folder. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })

it('leaves the record of the preparation, and no open file, if the solver does not open', async () => {
  const start = { at: 0, type: 'episode-started', solver: '' }
  const events = [start, { at: 1, type: 'report-given' }] as unknown as Incident['events']
  const incident: FakeIncident = { ...createVoidIncident([]), events }
  await expect(play(incident, { agent: 'nope' })).rejects.toThrow('nope')
  const [name, ...others] = readdirSync(folder)
  expect(others).toEqual([])
  const lines = readFileSync(join(folder, name!), 'utf8').trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual([{ ...start, solver: 'expert' }, events[1]])
  expect(openFiles()).toEqual([])
})

it.each([
  ['restores', 'unsupported', 1],
  ['does not restore', 'record-lost', 0],
])('%s the system after a void episode with the code %s', async (_, code, restores) => {
  const verdict = { outcome: 'void', code, blame: 'harness', reason: 'no such module' }
  const incident: FakeIncident = {
    ...createVoidIncident([]),
    attempt: async () => ({ events: [], verdict }) as unknown as AttemptOutcome,
  }
  const restore = vi.fn(async () => {})
  await expect(play(incident, { restore })).rejects.toMatchObject({ code, message: 'no such module' })
  expect(restore).toHaveBeenCalledTimes(restores)
})

it('reports the actions of the agent, but not the names of unknown actions', async () => {
  const names = ['get_alerts', '\x1b[8m', 'get_alert', 'run-playbook', 'submit']
  const steps = names.map((action) => ({ at: 1, type: 'step-taken', action, input: {}, observation: '' }))
  const stages: string[] = []
  await expect(play(createVoidIncident(steps), { stage: (text) => stages.push(text) })).rejects.toThrow(
    'wrong key',
  )
  expect(stages).toEqual([
    ...['preparing a', 'starting the agent', 'get_alerts', 'an unknown action', 'an unknown action'],
    ...['run-playbook', 'submit'],
  ])
})

it.each([undefined, true])(
  "asks for MicroRemed's check only if the settings of the run do: %s",
  async (checksLikeMicroRemed) => {
    const failing = createVoidIncident([])
    const requestedChecks: unknown[] = []
    const incident: FakeIncident = {
      ...failing,
      attempt(solver, options) {
        requestedChecks.push(options?.furtherCheck)
        return failing.attempt(solver, options)
      },
    }
    await expect(play(incident, { settings: defined({ checksLikeMicroRemed }) })).rejects.toThrow('wrong key')
    expect(requestedChecks).toEqual([checksLikeMicroRemed && checkLikeMicroRemed])
  },
)

const sudden = { fault: 'x', target: { service: 's' }, params: {}, shape: { kind: 'sudden' } } as const
const SLOW_FAULTS: readonly PlannedFault[] = [
  { ...sudden, shape: { kind: 'gradual', overMs: 30_000 } },
  { ...sudden, afterMs: 90_000 },
  { ...sudden, shape: { kind: 'transient', forMs: 180_000 } },
]
const SLOW_MS = 300_000

it('sends heartbeats for as long as the faults take, in preparation and in the attempt', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const slow = { ...problem, faults: SLOW_FAULTS }
  const alive = vi.fn()
  const started = Promise.withResolvers<void>()
  const waitAnHour = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 3_600_000))
  const failing = createVoidIncident([])
  const incident: FakeIncident = {
    problem: slow,
    hasImpact: true,
    restore: failing.restore,
    async attempt(...args) {
      started.resolve()
      await waitAnHour()
      return failing.attempt(...args)
    },
  }
  const playing = play(incident, { alive, prepare: waitAnHour })
  playing.catch(() => {})
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(alive).toHaveBeenCalledTimes(SLOW_MS / 15_000)
  await started.promise
  alive.mockClear()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(alive).toHaveBeenCalledTimes((60_000 + 300_000 + SLOW_MS) / 15_000)
  await expect(playing).rejects.toThrow('wrong key')
})

/** Shows what the pool makes of workers that die, hang and fail, with real processes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Problem } from '../../spec/index.ts'
import type { EpisodeJob, FinishedAttempt } from '../attempt.ts'
import { runJobs } from './run-jobs.ts'
import { startWorker, type Worker } from './start-worker.ts'

const PROGRAM = join(import.meta.dirname, '..', 'testing', 'moody-worker.ts')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pool-'))
  process.env.MOODY_DIARY = join(folder, 'diary')
  writeFileSync(process.env.MOODY_DIARY, '')
})
afterEach(() => rmSync(folder, { recursive: true }))

const job = (id: string, moods: Record<string, string[]>, system = 'shop'): EpisodeJob => ({
  problem: { id, system, task: 'mitigation', faults: [], seed: JSON.stringify(moods) } as unknown as Problem,
  attempts: Object.keys(moods).map((name) => ({ name, expected: 'unresolved' })),
})

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

interface Run {
  /** Each attempt with how often it failed before. */
  finished: string[]
  givenUp: string[]
  failures: string[]
  workers: Worker<EpisodeJob, FinishedAttempt>[]
  cleared: number
}

const play = async (
  jobs: EpisodeJob[],
  {
    workers = 1,
    silenceMs = 20_000,
    signal = new AbortController().signal,
    onStage = (_: Run) => {},
    placesOf = (_: string): number => 1,
    /** Of the worker that is started as the first, the second, ... */
    programOf = (_: number): string => PROGRAM,
    clearAway = async (): Promise<void> => {},
  } = {},
): Promise<Run> => {
  const run: Run = { finished: [], givenUp: [], failures: [], workers: [], cleared: 0 }
  let started = 0
  const ended = runJobs({
    jobs,
    workers,
    signal,
    placesOf,
    pause: async () => {},
    async startWorker() {
      started += 1
      const program = programOf(started)
      const worker = await startWorker<EpisodeJob, FinishedAttempt>({ program, silenceMs })
      run.workers.push(worker)
      return worker
    },
    async clearAway() {
      run.cleared += 1
      await clearAway()
    },
    onStage: () => onStage(run),
    onAttempt: (_, { problem, attempt }, failures) =>
      run.finished.push(`${problem} ${attempt} ${failures.length}`),
    onGivenUp: ({ problem, attempts }) =>
      run.givenUp.push(...attempts.map(({ name }) => `${problem.id} ${name}`)),
    onFailure: (_, { message, blame }) => run.failures.push(`${blame}: ${message}`),
  })
  await ended
  expect(run.workers.filter(({ pid }) => isAlive(pid))).toEqual([])
  return run
}

describe('the pool', () => {
  it('begins with what takes much room, and lets nobody beside it', async () => {
    const small = ['a', 'b', 'c'].map((id) => job(id, { x: [] }, 'small'))
    const large = ['d', 'e'].map((id) => job(id, { x: [] }, 'large'))
    const placesOf = (system: string) => (system === 'large' ? 2 : 1)
    const one = await play([...small, ...large], { placesOf: () => 1 })
    expect(one.finished).toEqual(['a x 0', 'b x 0', 'c x 0', 'd x 0', 'e x 0'])
    const two = await play([...small, ...large], { workers: 2, placesOf })
    expect(two.finished.slice(0, 2)).toEqual(['d x 0', 'e x 0'])
    expect(two.finished.sort()).toEqual(['a x 0', 'b x 0', 'c x 0', 'd x 0', 'e x 0'])
    expect(two.workers).toHaveLength(2)
    const alone = await play(large, { workers: 2, placesOf })
    expect(alone.workers).toHaveLength(1)
    expect(alone.finished).toEqual(['d x 0', 'e x 0'])
  })

  it('lets those who wait for room go where it is interrupted', async () => {
    const asked = new AbortController()
    const jobs = [job('a', { x: ['wait'] }, 'large'), job('b', { x: [] })]
    const onStage = (): void => asked.abort(new Error('enough'))
    const options = { workers: 2, placesOf: () => 2, signal: asked.signal, onStage }
    await expect(play(jobs, options)).rejects.toThrow('enough')
  })

  it('does all jobs by one worker, and lets it clear away', async () => {
    const { finished, workers } = await play([job('a', { x: [], y: [] }), job('b', { x: [] })])
    expect(finished).toEqual(['a x 0', 'a y 0', 'b x 0'])
    expect(workers).toHaveLength(1)
    expect(readFileSync(process.env.MOODY_DIARY!, 'utf8')).toMatch(/closed\n$/)
  })

  it.each([
    ['is killed', 'die', "harness: The worker's process has ended by SIGKILL.", 1],
    ['hangs', 'hang', 'harness: The worker said nothing for 1 s.', 1],
    ['fails', 'fail', 'harness: The disk is full.', 0],
    ['has another time than its machine', 'jump', 'harness: The clock was set.', 1],
  ])(
    'repeats what a worker that %s has not finished, and nothing else',
    async (_, mood, failure, cleared) => {
      const run = await play([job('a', { x: [], y: [mood], z: [] })], { silenceMs: 1000 })
      expect(run).toMatchObject({
        finished: ['a x 0', 'a y 1', 'a z 0'],
        givenUp: [],
        failures: [failure],
        cleared,
      })
      expect(run.workers).toHaveLength(1 + cleared)
    },
  )

  it('gives a job up after three tries, and goes on with the next', async () => {
    const run = await play([job('a', { x: [], y: ['fail', 'die', 'fail'], z: [] }), job('b', { x: [] })])
    expect(run.finished).toEqual(['a x 0', 'b x 0'])
    expect(run.givenUp).toEqual(['a y', 'a z'])
  })

  it('begins a job again whose worker dies while it starts, without counting it', async () => {
    const dying = join(folder, 'dying.mjs')
    writeFileSync(dying, 'process.exit(3)')
    const once = await play([job('a', { x: [] })], { programOf: (turn) => (turn === 1 ? dying : PROGRAM) })
    expect(once).toMatchObject({
      finished: ['a x 0'],
      failures: ["harness: The worker's process has ended with code 3."],
    })
  })

  it('leaves jobs to others where no worker starts, and gives none of them up', async () => {
    const jobs = [job('a', { x: [] }), job('b', { x: [] }), job('c', { x: [] })]
    const finished: string[] = []
    let starts = 0
    const playWith = async (programs: number): Promise<void> => {
      starts = 0
      await runJobs<EpisodeJob, FinishedAttempt>({
        jobs,
        workers: 2,
        signal: new AbortController().signal,
        async startWorker() {
          starts += 1
          if (starts > programs) throw new Error('no space left')
          return await startWorker<EpisodeJob, FinishedAttempt>({ program: PROGRAM, silenceMs: 20_000 })
        },
        pause: async () => {},
        clearAway: async () => {},
        onGivenUp: () => expect.unreachable('nothing is given up'),
        onAttempt: ({ problem }) => finished.push(problem.id),
      })
    }
    await playWith(1)
    expect(finished.sort()).toEqual(['a', 'b', 'c'])
    await expect(playWith(0)).rejects.toThrow('no space left')
    expect(finished).toHaveLength(3)
  })

  it('begins a job again where what its worker has left cannot be removed', async () => {
    const clearAway = async (): Promise<void> => {
      throw new Error('It is busy.')
    }
    const run = await play([job('a', { x: ['die'] }), job('b', { x: [] })], { clearAway })
    expect(run.finished).toEqual(['a x 1', 'b x 0'])
    expect(run.failures).toEqual([
      "harness: The worker's process has ended by SIGKILL. What it left could not be removed: It is busy.",
    ])
  })

  it('has done all jobs also where the folder of a worker cannot be removed', async () => {
    const finished: string[] = []
    await runJobs<EpisodeJob, FinishedAttempt>({
      jobs: [job('a', { x: ['die'] }), job('b', { x: [] })],
      workers: 1,
      signal: new AbortController().signal,
      async startWorker() {
        const worker = await startWorker<EpisodeJob, FinishedAttempt>({ program: PROGRAM, silenceMs: 20_000 })
        const end = async (): Promise<void> => {
          await worker.end()
          throw new Error('It is busy.')
        }
        return { ...worker, end }
      },
      clearAway: async () => {},
      onGivenUp: () => {},
      onAttempt: (_, { problem }) => finished.push(problem),
    })
    expect(finished).toEqual(['a', 'b'])
  })

  it('gives a job up that users did not feel twice, even with another attempt between', async () => {
    const run = await play([job('a', { x: ['unfelt'], y: ['unfelt'], z: [] }), job('b', { x: ['unfelt'] })])
    expect(run.finished).toEqual(['a x 1', 'b x 1'])
    expect(run.givenUp).toEqual(['a y', 'a z'])
  })

  it('begins each of two workers with a system of its own', async () => {
    const first = new Map<string, string>()
    await runJobs({
      jobs: ['a', 'b', 'c', 'd'].map((id, index) => job(id, { x: [] }, index < 2 ? 'shop' : 'trains')),
      workers: 2,
      signal: new AbortController().signal,
      startWorker: () => startWorker<EpisodeJob, FinishedAttempt>({ program: PROGRAM, silenceMs: 20_000 }),
      clearAway: async () => {},
      onGivenUp: () => {},
      onAttempt: (_, { reason: worker, system }) => first.set(worker, first.get(worker) ?? system),
    })
    expect([...first.values()].sort()).toEqual(['shop', 'trains'])
  })

  it('ends all workers when it is interrupted, and lets them clear away', async () => {
    const asked = new AbortController()
    const jobs = [job('a', { x: ['wait'] }), job('b', { x: ['wait'] })]
    let stages = 0
    const onStage = (): void => {
      stages += 1
      if (stages === 2) asked.abort(new Error('enough'))
    }
    await expect(play(jobs, { workers: 2, signal: asked.signal, onStage })).rejects.toThrow('enough')
    expect(readFileSync(process.env.MOODY_DIARY!, 'utf8').match(/closed/g)).toHaveLength(2)
  })

  it('is not done where it is interrupted while workers start', async () => {
    const asked = new AbortController()
    const pids: number[] = []
    const ended = runJobs({
      jobs: [job('a', { x: [] }), job('b', { x: [] })],
      workers: 2,
      signal: asked.signal,
      async startWorker() {
        const worker = await startWorker<EpisodeJob, FinishedAttempt>({ program: PROGRAM, silenceMs: 20_000 })
        pids.push(worker.pid)
        asked.abort(new Error('enough'))
        return worker
      },
      clearAway: async () => {},
      onGivenUp: () => {},
      onAttempt: () => {},
    })
    await expect(ended).rejects.toThrow('enough')
    expect(pids.filter(isAlive)).toEqual([])
  })

  it('ends at once where it is interrupted while a worker fails to start', async () => {
    const asked = new AbortController()
    const told: string[] = []
    let starts = 0
    const ended = runJobs<EpisodeJob, FinishedAttempt>({
      jobs: [job('a', { x: [] })],
      workers: 1,
      signal: asked.signal,
      async startWorker() {
        starts += 1
        asked.abort(new Error('enough'))
        throw new Error('no space left')
      },
      clearAway: async () => {},
      onGivenUp: () => {},
      onAttempt: () => {},
      onFailure: (_, { message }) => told.push(message),
    })
    await expect(ended).rejects.toThrow('enough')
    expect({ starts, told }).toEqual({ starts: 1, told: [] })
  })
})

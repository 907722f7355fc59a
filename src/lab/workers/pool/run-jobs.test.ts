/** Tests the pool with real worker processes that die, hang and fail. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SCRIPTED_WORKER, SCRIPTED_WORKER_JOURNAL } from '#lab/testing'
import type { FinishedAttempt, ValidationJob } from '#lab/validation'
import type { Problem } from '#spec'
import { runJobs } from './run-jobs.ts'
import { startWorker, type Worker } from './start-worker.ts'

const remaining = (job: ValidationJob, { attempt }: FinishedAttempt): ValidationJob | undefined => {
  const attempts = job.attempts.filter(({ name }) => name !== attempt)
  return attempts.length === 0 ? undefined : { ...job, attempts }
}

let folder: string
let journal: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pool-'))
  journal = join(folder, 'journal')
  process.env[SCRIPTED_WORKER_JOURNAL] = journal
  writeFileSync(journal, '')
})
afterEach(() => rmSync(folder, { recursive: true }))

const job = (id: string, script: Record<string, string[]>, system = 'shop'): ValidationJob => ({
  problem: { id, system, task: 'mitigation', faults: [], seed: JSON.stringify(script) } as unknown as Problem,
  attempts: Object.keys(script).map((name) => ({ name, expected: 'unresolved' })),
})

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

interface Run {
  /** The problem, the attempt, and the number of failures before the result. */
  finished: string[]
  givenUp: string[]
  failures: string[]
  workers: Worker<ValidationJob, FinishedAttempt>[]
  cleanUps: number
}

const play = async (
  jobs: ValidationJob[],
  {
    workers = 1,
    silenceMs = 20_000,
    signal = new AbortController().signal,
    isDeterministic = false,
    onStage = (_: Run) => {},
    slotsOf = (_: string): number => 1,
    /** The program of the first, second, ... worker. */
    programOf = (_: number): string => SCRIPTED_WORKER,
    cleanUp = async (): Promise<void> => {},
  } = {},
): Promise<Run> => {
  const run: Run = { finished: [], givenUp: [], failures: [], workers: [], cleanUps: 0 }
  let started = 0
  const ended = runJobs<ValidationJob, FinishedAttempt>({
    jobs,
    workers,
    signal,
    isDeterministic,
    remaining,
    slotsOf,
    pause: async () => {},
    async startWorker() {
      started += 1
      const program = programOf(started)
      const worker = await startWorker<ValidationJob, FinishedAttempt>({ program, silenceMs })
      run.workers.push(worker)
      return worker
    },
    async cleanUp() {
      run.cleanUps += 1
      await cleanUp()
    },
    onStage: () => onStage(run),
    onResult: (_, { problem, attempt }, failures) =>
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
  it('starts with large systems, which run alone', async () => {
    const small = ['a', 'b', 'c'].map((id) => job(id, { x: [] }, 'small'))
    const large = ['d', 'e'].map((id) => job(id, { x: [] }, 'large'))
    const slotsOf = (system: string) => (system === 'large' ? 2 : 1)
    const sequential = await play([...small, ...large], { slotsOf: () => 1 })
    expect(sequential.finished).toEqual(['a x 0', 'b x 0', 'c x 0', 'd x 0', 'e x 0'])
    const parallel = await play([...small, ...large], { workers: 2, slotsOf })
    expect(parallel.finished.slice(0, 2)).toEqual(['d x 0', 'e x 0'])
    expect(parallel.finished.sort()).toEqual(['a x 0', 'b x 0', 'c x 0', 'd x 0', 'e x 0'])
    expect(parallel.workers).toHaveLength(2)
    const alone = await play(large, { workers: 2, slotsOf })
    expect(alone.workers).toHaveLength(1)
    expect(alone.finished).toEqual(['d x 0', 'e x 0'])
  })

  it('wakes loops that wait for slots when it is interrupted', async () => {
    const interruption = new AbortController()
    const jobs = [job('a', { x: ['wait'] }, 'large'), job('b', { x: [] })]
    const onStage = (): void => interruption.abort(new Error('enough'))
    const options = { workers: 2, slotsOf: () => 2, signal: interruption.signal, onStage }
    await expect(play(jobs, options)).rejects.toThrow('enough')
  })

  it('does all jobs with one worker, and lets it clean up', async () => {
    const { finished, workers } = await play([job('a', { x: [], y: [] }), job('b', { x: [] })])
    expect(finished).toEqual(['a x 0', 'a y 0', 'b x 0'])
    expect(workers).toHaveLength(1)
    expect(readFileSync(journal, 'utf8')).toMatch(/closed\n$/)
  })

  it.each([
    ['is killed', 'die', "harness: The worker's process ended by SIGKILL.", 1],
    ['hangs', 'hang', 'harness: The worker sent nothing for 1 s.', 1],
    ['fails', 'fail', 'harness: The disk is full.', 0],
    ['detects that the clock jumped', 'jump', 'harness: The clock jumped.', 1],
  ])(
    'retries only the attempt that was running on a worker that %s',
    async (_, behaviour, failure, cleanUps) => {
      const run = await play([job('a', { x: [], y: [behaviour], z: [] })], { silenceMs: 1000 })
      expect(run).toMatchObject({
        finished: ['a x 0', 'a y 1', 'a z 0'],
        givenUp: [],
        failures: [failure],
        cleanUps,
      })
      expect(run.workers).toHaveLength(1 + cleanUps)
    },
  )

  it('gives up an unsupported attempt at once, and keeps the worker and its engine', async () => {
    const run = await play([job('a', { x: ['unsupported'] }), job('b', { x: [] })])
    expect(run).toMatchObject({ finished: ['b x 0'], givenUp: ['a x'], cleanUps: 0 })
    expect(run.workers).toHaveLength(1)
    expect(readFileSync(journal, 'utf8').match(/closed/g)).toHaveLength(1)
  })

  it('retries only lost workers if jobs are deterministic', async () => {
    const jobs = [job('a', { x: ['die'] }), job('b', { x: ['fail'] })]
    const run = await play(jobs, { isDeterministic: true })
    expect(run).toMatchObject({ finished: ['a x 1'], givenUp: ['b x'] })
  })

  it('gives up a job after three tries, and continues with the next', async () => {
    const run = await play([job('a', { x: [], y: ['fail', 'die', 'fail'], z: [] }), job('b', { x: [] })])
    expect(run.finished).toEqual(['a x 0', 'b x 0'])
    expect(run.givenUp).toEqual(['a y', 'a z'])
  })

  it('restarts a worker that dies at its start, without counting a try', async () => {
    const dying = join(folder, 'dying.mjs')
    writeFileSync(dying, 'process.exit(3)')
    const run = await play([job('a', { x: [] })], {
      programOf: (start) => (start === 1 ? dying : SCRIPTED_WORKER),
    })
    expect(run).toMatchObject({
      finished: ['a x 0'],
      failures: ["harness: The worker's process ended with code 3."],
    })
  })

  it('leaves jobs to other loops if a worker does not start, and gives up none of them', async () => {
    const jobs = [job('a', { x: [] }), job('b', { x: [] }), job('c', { x: [] })]
    const finished: string[] = []
    let starts = 0
    const playWithWorkers = async (maxStarts: number): Promise<void> => {
      starts = 0
      await runJobs<ValidationJob, FinishedAttempt>({
        jobs,
        workers: 2,
        signal: new AbortController().signal,
        async startWorker() {
          starts += 1
          if (starts > maxStarts) throw new Error('no space left')
          return await startWorker<ValidationJob, FinishedAttempt>({
            program: SCRIPTED_WORKER,
            silenceMs: 20_000,
          })
        },
        pause: async () => {},
        cleanUp: async () => {},
        onGivenUp: () => expect.unreachable('nothing is given up'),
        onResult: ({ problem }) => finished.push(problem.id),
      })
    }
    await playWithWorkers(1)
    expect(finished.sort()).toEqual(['a', 'b', 'c'])
    await expect(playWithWorkers(0)).rejects.toThrow('no space left')
    expect(finished).toHaveLength(3)
  })

  it('retries a job even if cleaning up after its worker fails', async () => {
    const cleanUp = async (): Promise<void> => {
      throw new Error('It is busy.')
    }
    const run = await play([job('a', { x: ['die'] }), job('b', { x: [] })], { cleanUp })
    expect(run.finished).toEqual(['a x 1', 'b x 0'])
    expect(run.failures).toEqual([
      "harness: The worker's process ended by SIGKILL. Clean-up failed: It is busy.",
    ])
  })

  it('completes even if the folder of a worker cannot be removed', async () => {
    const finished: string[] = []
    await runJobs<ValidationJob, FinishedAttempt>({
      jobs: [job('a', { x: ['die'] }), job('b', { x: [] })],
      workers: 1,
      signal: new AbortController().signal,
      async startWorker() {
        const worker = await startWorker<ValidationJob, FinishedAttempt>({
          program: SCRIPTED_WORKER,
          silenceMs: 20_000,
        })
        const end = async (): Promise<void> => {
          await worker.end()
          throw new Error('It is busy.')
        }
        return { ...worker, end }
      },
      cleanUp: async () => {},
      onGivenUp: () => {},
      onResult: (_, { problem }) => finished.push(problem),
    })
    expect(finished).toEqual(['a', 'b'])
  })

  it('gives up a problem without user impact in two tries, even with another attempt between them', async () => {
    const run = await play([
      job('a', { x: ['no-impact'], y: ['no-impact'], z: [] }),
      job('b', { x: ['no-impact'] }),
    ])
    expect(run.finished).toEqual(['a x 1', 'b x 1'])
    expect(run.givenUp).toEqual(['a y', 'a z'])
  })

  it('gives each of two workers a system of its own', async () => {
    const firstSystems = new Map<string, string>()
    await runJobs<ValidationJob, FinishedAttempt>({
      jobs: ['a', 'b', 'c', 'd'].map((id, index) => job(id, { x: [] }, index < 2 ? 'shop' : 'trains')),
      workers: 2,
      signal: new AbortController().signal,
      startWorker: () =>
        startWorker<ValidationJob, FinishedAttempt>({ program: SCRIPTED_WORKER, silenceMs: 20_000 }),
      cleanUp: async () => {},
      onGivenUp: () => {},
      onResult: (_, { reason: worker, system }) =>
        firstSystems.set(worker, firstSystems.get(worker) ?? system),
    })
    expect([...firstSystems.values()].sort()).toEqual(['shop', 'trains'])
  })

  it('ends all workers when it is interrupted, and lets them clean up', async () => {
    const interruption = new AbortController()
    const jobs = [job('a', { x: ['wait'] }), job('b', { x: ['wait'] })]
    let stages = 0
    const onStage = (): void => {
      stages += 1
      if (stages === 2) interruption.abort(new Error('enough'))
    }
    await expect(play(jobs, { workers: 2, signal: interruption.signal, onStage })).rejects.toThrow('enough')
    expect(readFileSync(journal, 'utf8').match(/closed/g)).toHaveLength(2)
  })

  it('rejects if it is interrupted while workers start', async () => {
    const interruption = new AbortController()
    const pids: number[] = []
    const ended = runJobs<ValidationJob, FinishedAttempt>({
      jobs: [job('a', { x: [] }), job('b', { x: [] })],
      workers: 2,
      signal: interruption.signal,
      async startWorker() {
        const worker = await startWorker<ValidationJob, FinishedAttempt>({
          program: SCRIPTED_WORKER,
          silenceMs: 20_000,
        })
        pids.push(worker.pid)
        interruption.abort(new Error('enough'))
        return worker
      },
      cleanUp: async () => {},
      onGivenUp: () => {},
      onResult: () => {},
    })
    await expect(ended).rejects.toThrow('enough')
    expect(pids.filter(isAlive)).toEqual([])
  })

  it('ends at once if it is interrupted while a worker fails to start', async () => {
    const interruption = new AbortController()
    const failures: string[] = []
    let starts = 0
    const ended = runJobs<ValidationJob, FinishedAttempt>({
      jobs: [job('a', { x: [] })],
      workers: 1,
      signal: interruption.signal,
      async startWorker() {
        starts += 1
        interruption.abort(new Error('enough'))
        throw new Error('no space left')
      },
      cleanUp: async () => {},
      onGivenUp: () => {},
      onResult: () => {},
      onFailure: (_, { message }) => failures.push(message),
    })
    await expect(ended).rejects.toThrow('enough')
    expect({ starts, failures }).toEqual({ starts: 1, failures: [] })
  })
})

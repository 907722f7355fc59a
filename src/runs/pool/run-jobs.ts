/** Does many jobs by several workers: those of one system after each other, and what the harness spoilt again. */
import { createRealClock, sleep } from '../../kit/index.ts'
import { toRemediumError } from '../../spec/index.ts'
import { chooseJob } from './choose-job.ts'
import type { JobEnd, Worker } from './start-worker.ts'
import type { Failure, Job } from './worker-messages.ts'

/** Begun at most so often; then it is void. */
export const MOST_TRIES = 3
/** A problem that users did not feel so often is none, even if they would feel it the next time. */
const MOST_UNFELT = 2
const UNFELT = 'not-felt'
/** A lane whose workers do not start so often in a row leaves its jobs to the others. */
const MOST_STARTS = 3
/** Before the second start; before the third twice as long. */
const PAUSE_MS = 1000

export interface JobRun<J extends Job, R> {
  readonly jobs: readonly J[]
  readonly workers: number
  /** Of how many workers a system takes the place; of one where absent. */
  placesOf?(system: string): number
  startWorker(): Promise<Worker<J, R>>
  /** Waits before another worker is started where one could not be; by the clock where absent. */
  pause?(milliseconds: number): Promise<void>
  /** After a worker was lost: removes what its engine has left. */
  clearAway(): Promise<unknown>
  readonly signal: AbortSignal
  onStage?(job: J, text: string): void
  onQuestion?(job: J, text: string): Promise<boolean>
  /** With how often it was begun, and why it was begun again. */
  onAttempt(job: J, result: R, failures: readonly string[]): void
  /** The harness failed too often; the attempts that are left will not be made. */
  onGivenUp(job: J, failure: Failure, failures: readonly string[]): void
  onFailure?(job: J, failure: Failure): void
}

interface Waiting<J> {
  readonly job: J
  /** Why it was begun again, of the attempt that comes next. */
  failures: string[]
  /** How often users did not feel the problem, over all of its attempts. */
  readonly unfelt: number
}

const toFailure = (thrown: unknown): Failure => {
  const { code, message, blame } = toRemediumError(thrown)
  return { code, message, blame }
}

/** Of a worker that was lost; `left` is why something of it is still there. */
const withLeftovers = (lost: Failure, left: Failure): Failure => ({
  ...lost,
  message: `${lost.message} What it left could not be removed: ${left.message}`,
})

/** What of the job is still to be done. */
const doOne = async <J extends Job, R>(
  run: JobRun<J, R>,
  worker: Worker<J, R>,
  one: Waiting<J>,
): Promise<{ came: JobEnd; rest: J }> => {
  const { job } = one
  let rest = job
  const came = await worker.run(job, {
    onStage: (text) => run.onStage?.(job, text),
    ...(run.onQuestion === undefined ? {} : { onQuestion: (text) => run.onQuestion!(job, text) }),
    onAttempt(done, result) {
      rest = { ...rest, attempts: rest.attempts.filter(({ name }) => name !== done) }
      run.onAttempt(job, result, one.failures)
      one.failures = []
    },
  })
  return { came, rest }
}

/**
 * Resolves when every job is done or given up; rejects with the signal's reason once all workers have ended, and where jobs are left
 * because no worker starts.
 */
export const runJobs = async <J extends Job, R>(run: JobRun<J, R>): Promise<void> => {
  const { signal, workers: places, placesOf = () => 1 } = run
  const pause = run.pause ?? ((ms: number) => sleep(createRealClock({ keepsAlive: true }), ms))
  const waiting: Waiting<J>[] = run.jobs.map((job) => ({ job, failures: [], unfelt: 0 }))
  /** What each lane is at. */
  const systems: (string | undefined)[] = []
  const living = new Set<Worker<J, R>>()
  /** Why a lane has ended before its time. */
  let unstartable: unknown
  let turn = Promise.withResolvers<void>()

  const moveTo = (number: number, system: string | undefined): void => {
    if (systems[number] === system) return
    systems[number] = system
    // There may be room now for those who wait for it.
    turn.resolve()
    turn = Promise.withResolvers()
  }

  const take = (number: number): Waiting<J> | undefined => {
    const others = systems.filter((_, index) => index !== number)
    const jobs = waiting.map(({ job }) => job)
    const index = chooseJob(jobs, { own: systems[number], others, places, placesOf })
    if (index === undefined) return undefined
    const [one] = waiting.splice(index, 1)
    moveTo(number, one!.job.problem.system)
    return one
  }

  const putBack = (job: J, one: Waiting<J>, failure: Failure): void => {
    run.onFailure?.(job, failure)
    const failures = [...one.failures, failure.message]
    const unfelt = one.unfelt + (failure.code === UNFELT ? 1 : 0)
    const again = { job, failures, unfelt }
    if (failures.length >= MOST_TRIES || unfelt >= MOST_UNFELT) run.onGivenUp(job, failure, failures)
    // A provider that does not answer may do so later; everything else is done while its cluster is there.
    else if (failure.blame === 'provider') waiting.push(again)
    else waiting.unshift(again)
  }

  const start = async (): Promise<Worker<J, R>> => {
    const worker = await run.startWorker()
    living.add(worker)
    return worker
  }

  /** Never rejects: files that could not be removed spoil nothing, and the next command removes them. */
  const end = async (worker: Worker<J, R> | undefined): Promise<undefined> => {
    if (worker === undefined) return
    await worker.end().catch(() => {})
    living.delete(worker)
  }

  /** Ends a lost worker, and says what of it counts as the failure. Whoever makes the next cluster clears away again. */
  const giveUp = async (worker: Worker<J, R>, failure: Failure | undefined): Promise<Failure | undefined> => {
    await end(worker)
    const left = await run.clearAway().then(() => undefined, toFailure)
    return failure === undefined || left === undefined ? failure : withLeftovers(failure, left)
  }

  const work = async (number: number): Promise<void> => {
    let worker: Worker<J, R> | undefined
    let failedStarts = 0
    for (;;) {
      signal.throwIfAborted()
      const one = take(number)
      if (one === undefined) {
        const next = turn.promise
        // A cluster without work would only slow down those that have some.
        worker = await end(worker)
        moveTo(number, undefined)
        if (waiting.length === 0) return
        await next
        continue
      }
      try {
        worker ??= await start()
      } catch (thrown) {
        // The job is not to blame, nor would another one fare better at once.
        waiting.unshift(one)
        signal.throwIfAborted()
        run.onFailure?.(one.job, toFailure(thrown))
        failedStarts += 1
        if (failedStarts === MOST_STARTS) {
          unstartable = thrown
          return
        }
        await pause(PAUSE_MS * failedStarts)
        continue
      }
      failedStarts = 0
      signal.throwIfAborted()
      const { came, rest } = await doOne(run, worker, one)
      let { failure } = came
      if (came.lost) {
        failure = await giveUp(worker, failure)
        worker = undefined
      }
      if (failure !== undefined && rest.attempts.length > 0 && !signal.aborted) putBack(rest, one, failure)
    }
  }

  const endAll = (): void => {
    turn.resolve()
    for (const worker of living) void end(worker)
  }
  signal.addEventListener('abort', endAll)
  try {
    const lanes = Array.from({ length: Math.min(places, run.jobs.length) }, (_, number) =>
      work(number).finally(() => moveTo(number, undefined)),
    )
    const ends = await Promise.allSettled(lanes)
    const failed = ends.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    // What a lane without a worker has left the others may have done.
    if (waiting.length > 0) throw unstartable
  } finally {
    signal.removeEventListener('abort', endAll)
    await Promise.all([...living].map(end))
  }
}

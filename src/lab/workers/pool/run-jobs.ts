/** Runs many jobs on several workers, and retries jobs that failed. */
import { createRealClock, defined, sleep } from '#kit'
import { toRemediumError } from '#spec'
import type { Failure, Job } from '../worker-messages.ts'
import { createJobQueue, type JobQueue, type QueuedJob, type QueueOptions } from './job-queue.ts'
import type { JobListener, Worker } from './start-worker.ts'

/** After this many failed starts in a row, a loop leaves its jobs to the other loops. */
const MAX_FAILED_STARTS = 3
/** The pause before the second start; it is twice as long before the third. */
const PAUSE_MS = 1000

export interface JobRun<J extends Job, R> extends Pick<QueueOptions<J>, 'isDeterministic'> {
  readonly jobs: readonly J[]
  readonly workers: number
  /** The slots that a system takes; one by default. */
  slotsOf?(system: string): number
  startWorker(): Promise<Worker<J, R>>
  /** Waits before the next attempt to start a worker; by the real clock by default. */
  pause?(milliseconds: number): Promise<void>
  /** Removes what a lost worker left behind. */
  cleanUp(): Promise<unknown>
  readonly signal: AbortSignal
  /** Returns the rest of a job after a result; by default a job has one result. */
  remaining?(job: J, result: R): J | undefined
  onStage?(job: J, text: string): void
  onQuestion?(job: J, text: string): Promise<boolean>
  /** `failures` are the reasons why earlier tries failed. */
  onResult(job: J, result: R, failures: readonly string[]): void
  /** A try of the job proves nothing. `pid` is the process of its worker. The next try waits for this. */
  onVoidTry?(job: J, failure: Failure, pid: number): Promise<void>
  /** The job failed too often and is not retried: it sends no further results. A promise is awaited. */
  onGivenUp(job: J, failure: Failure, failures: readonly string[]): unknown
  onFailure?(job: J, failure: Failure): void
}

const toFailure = (thrown: unknown): Failure => {
  const { code, message, blame } = toRemediumError(thrown)
  return { code, message, blame }
}

/** Forwards what a worker reports about a job, and keeps the rest of the job that has no result yet. */
const followJob = <J extends Job, R>(run: JobRun<J, R>, queued: QueuedJob<J>) => {
  const { job } = queued
  const { onQuestion, remaining = () => undefined } = run
  let rest: J | undefined = job
  const listener: JobListener<R> = {
    onStage: (text) => run.onStage?.(job, text),
    ...defined({ onQuestion: onQuestion && ((text: string) => onQuestion(job, text)) }),
    onResult(result) {
      rest = rest && remaining(rest, result)
      run.onResult(job, result, queued.failures)
      queued.failures = []
    },
  }
  return { listener, rest: () => rest }
}

/** Keeps track of the running workers. */
const createWorkerPool = <J extends Job, R>(run: JobRun<J, R>) => {
  const running = new Set<Worker<J, R>>()
  /** Never rejects: the next command removes what is left. */
  const end = async (worker: Worker<J, R> | undefined): Promise<undefined> => {
    if (worker === undefined) return
    await worker.end().catch(() => {})
    running.delete(worker)
  }
  return {
    end,
    endAll: () => Promise.all([...running].map(end)),
    async start(): Promise<Worker<J, R>> {
      const worker = await run.startWorker()
      running.add(worker)
      return worker
    },
    /** Ends a lost worker and cleans up after it. Returns the failure, together with the error of the clean-up if that fails. */
    async dispose(worker: Worker<J, R>, failure: Failure | undefined): Promise<Failure | undefined> {
      await end(worker)
      const cleanUpFailure = await run.cleanUp().then(() => undefined, toFailure)
      if (failure === undefined || cleanUpFailure === undefined) return failure
      return { ...failure, message: `${failure.message} Clean-up failed: ${cleanUpFailure.message}` }
    },
  }
}

type WorkerPool<J extends Job, R> = ReturnType<typeof createWorkerPool<J, R>>

interface Loop<J extends Job, R> {
  readonly run: JobRun<J, R>
  readonly queue: JobQueue<J>
  readonly pool: WorkerPool<J, R>
  readonly number: number
}

/** Starts a worker. If no start succeeds, resolves with the last error; that does not count as a try of the job. */
const tryToStart = async <J extends Job, R>(
  { run, pool }: Loop<J, R>,
  job: J,
): Promise<Worker<J, R> | { readonly startError: unknown }> => {
  const pause = run.pause ?? ((ms: number) => sleep(createRealClock({ keepsAlive: true }), ms))
  for (let failed = 1; ; failed += 1) {
    try {
      return await pool.start()
    } catch (startError) {
      run.signal.throwIfAborted()
      run.onFailure?.(job, toFailure(startError))
      if (failed === MAX_FAILED_STARTS) return { startError }
      await pause(PAUSE_MS * failed)
      run.signal.throwIfAborted()
    }
  }
}

/** Does jobs until none is left; resolves with an error if its worker does not start. */
const runLoop = async <J extends Job, R>(loop: Loop<J, R>): Promise<unknown> => {
  const { run, queue, pool, number } = loop
  let worker: Worker<J, R> | undefined
  for (;;) {
    run.signal.throwIfAborted()
    const queued = queue.take(number)
    if (queued === undefined) {
      const change = queue.nextChange()
      // An idle cluster would only slow down the other workers.
      worker = await pool.end(worker)
      queue.leave(number)
      if (queue.isEmpty) return undefined
      await change
      continue
    }
    if (worker === undefined) {
      const started = await tryToStart(loop, queued.job).catch((error) => {
        queue.putBack(queued)
        throw error
      })
      if ('startError' in started) {
        queue.putBack(queued)
        return started.startError
      }
      worker = started
    }
    run.signal.throwIfAborted()
    const { pid } = worker
    const followed = followJob(run, queued)
    const end = await worker.run(queued.job, followed.listener)
    const rest = followed.rest()
    let { failure } = end
    if (end.isLost) {
      failure = await pool.dispose(worker, failure)
      worker = undefined
    }
    if (failure === undefined || rest === undefined || run.signal.aborted) continue
    run.onFailure?.(rest, failure)
    await run.onVoidTry?.(rest, failure, pid)
    const failures = queue.retry(rest, queued, { failure, isLost: end.isLost })
    if (failures !== undefined) await run.onGivenUp(rest, failure, failures)
  }
}

/**
 * Resolves when every job is done or given up. If the signal is aborted, rejects with its reason once all workers have ended.
 * Also rejects if jobs are left because no worker starts.
 */
export const runJobs = async <J extends Job, R>(run: JobRun<J, R>): Promise<void> => {
  const { signal, jobs, workers: slots, slotsOf = () => 1, isDeterministic } = run
  const queue = createJobQueue({ jobs, slots, slotsOf, isDeterministic })
  const pool = createWorkerPool(run)
  const abort = (): void => {
    queue.wakeAll()
    void pool.endAll()
  }
  signal.addEventListener('abort', abort)
  try {
    const loops = Array.from({ length: Math.min(slots, jobs.length) }, (_, number) =>
      runLoop({ run, queue, pool, number }).finally(() => queue.leave(number)),
    )
    const ends = await Promise.allSettled(loops)
    const failed = ends.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    // If the worker of a loop did not start, other loops may have done its jobs.
    if (!queue.isEmpty) throw ends.map((one) => one.status === 'fulfilled' && one.value).find(Boolean)
  } finally {
    signal.removeEventListener('abort', abort)
    await pool.endAll()
  }
}

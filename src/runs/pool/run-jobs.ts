/** Does many jobs by several workers: those of one system after each other, and what the harness spoilt again. */
import type { JobEnd, Worker } from './start-worker.ts'
import type { Failure, Job } from './worker-messages.ts'

/** Begun at most so often; then it is void. */
export const MOST_TRIES = 3
/** A problem that users did not feel so often is none, even if they would feel it the next time. */
const MOST_UNFELT = 2
const UNFELT = 'not-felt'

export interface JobRun<J extends Job, R> {
  readonly jobs: readonly J[]
  readonly workers: number
  /** How many workers may be at one system at a time; any number where absent. */
  mostAt?(system: string): number
  startWorker(): Promise<Worker<J, R>>
  /** After a worker was lost: removes what its engine has left. */
  clearAway(): Promise<void>
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

interface Lanes {
  /** The system of the one that looks for a job. */
  readonly own: string | undefined
  /** Those of all others that are at work. */
  readonly others: readonly (string | undefined)[]
  mostAt(system: string): number
}

/**
 * The first of the lane's own system; else of one that no other lane is at, so that lanes keep their clusters. What few may
 * be at comes first: it would be left for the end, when the others have nothing to do.
 */
const take = <J extends Job>(
  waiting: Waiting<J>[],
  { own, others, mostAt }: Lanes,
): Waiting<J> | undefined => {
  const isAt = ({ job }: Waiting<J>, test: (system: string) => boolean): boolean => test(job.problem.system)
  const isFree = (system: string): boolean => !others.includes(system)
  const isOpen = (system: string): boolean =>
    others.filter((other) => other === system).length < mostAt(system)
  const at = [
    waiting.findIndex((one) => isAt(one, (system) => system === own)),
    waiting.findIndex((one) => isAt(one, (system) => isFree(system) && Number.isFinite(mostAt(system)))),
    waiting.findIndex((one) => isAt(one, isFree)),
    waiting.findIndex((one) => isAt(one, isOpen)),
  ].find((index) => index !== -1)
  return at === undefined ? undefined : waiting.splice(at, 1)[0]
}

/** What of the job is still to be done. */
const doOne = async <J extends Job, R>(
  run: JobRun<J, R>,
  worker: Worker<J, R>,
  one: Waiting<J>,
): Promise<{ end: JobEnd; rest: J }> => {
  const { job } = one
  let rest = job
  const end = await worker.run(job, {
    onStage: (text) => run.onStage?.(job, text),
    ...(run.onQuestion === undefined ? {} : { onQuestion: (text) => run.onQuestion!(job, text) }),
    onAttempt(done, result) {
      rest = { ...rest, attempts: rest.attempts.filter(({ name }) => name !== done) }
      run.onAttempt(job, result, one.failures)
      one.failures = []
    },
  })
  return { end, rest }
}

/** Resolves when every job is done or given up; rejects with the signal's reason once all workers have ended. */
export const runJobs = async <J extends Job, R>(run: JobRun<J, R>): Promise<void> => {
  const { signal, mostAt = () => Number.POSITIVE_INFINITY } = run
  const waiting: Waiting<J>[] = run.jobs.map((job) => ({ job, failures: [], unfelt: 0 }))
  const systems: (string | undefined)[] = []
  const living = new Set<Worker<J, R>>()

  const lane = async (number: number): Promise<void> => {
    let worker: Worker<J, R> | undefined
    for (;;) {
      signal.throwIfAborted()
      const others = systems.filter((_, index) => index !== number)
      const one = take(waiting, { own: systems[number], others, mostAt })
      if (one === undefined) break
      systems[number] = one.job.problem.system
      if (worker === undefined) {
        worker = await run.startWorker()
        living.add(worker)
        signal.throwIfAborted()
      }
      const { end, rest } = await doOne(run, worker, one)
      if (end.lost) {
        await worker.end()
        living.delete(worker)
        worker = undefined
        await run.clearAway()
      }
      if (end.failure === undefined || rest.attempts.length === 0 || signal.aborted) continue
      run.onFailure?.(rest, end.failure)
      const failures = [...one.failures, end.failure.message]
      const unfelt = one.unfelt + (end.failure.code === UNFELT ? 1 : 0)
      const again = { job: rest, failures, unfelt }
      // A provider that does not answer may do so later; everything else is done while its cluster is there.
      if (failures.length < MOST_TRIES && unfelt < MOST_UNFELT)
        end.failure.blame === 'provider' ? waiting.push(again) : waiting.unshift(again)
      else run.onGivenUp(rest, end.failure, failures)
    }
    systems[number] = undefined
    if (worker !== undefined) await worker.end()
  }

  const endAll = (): void => {
    for (const worker of living) void worker.end()
  }
  signal.addEventListener('abort', endAll)
  try {
    const lanes = Array.from({ length: Math.min(run.workers, run.jobs.length) }, (_, number) => lane(number))
    const ends = await Promise.allSettled(lanes)
    const failed = ends.find((end) => end.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  } finally {
    signal.removeEventListener('abort', endAll)
    await Promise.all([...living].map((worker) => worker.end()))
  }
}

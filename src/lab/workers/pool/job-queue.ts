/** The jobs that wait for a worker, and the systems that workers run now. */
import type { Failure, Job } from '../worker-messages.ts'
import { chooseJob } from './choose-job.ts'

/** The number of tries for one result; after the last one, the result is void. */
export const MAX_TRIES = 3
/** The number of tries without user impact after which a problem is given up. */
const MAX_WITHOUT_IMPACT = 2
const NO_USER_IMPACT = 'no-user-impact'
/** Another try would end in the same way. */
const UNSUPPORTED = 'unsupported'

export interface QueuedJob<J> {
  readonly job: J
  /** Why earlier tries for the next result failed. */
  failures: string[]
  /** How often the problem did not affect users, over all results of the job. */
  readonly withoutImpact: number
}

export interface QueueOptions<J> {
  readonly jobs: readonly J[]
  readonly slots: number
  slotsOf(system: string): number
  /** Whether a job that failed would fail again, unless its worker was lost. */
  readonly isDeterministic?: boolean | undefined
}

interface FailedEnd {
  readonly failure: Failure
  /** Whether the worker was lost. */
  readonly isLost: boolean
}

export interface JobQueue<J> {
  readonly isEmpty: boolean
  /** The next job for a worker; undefined if none fits now. */
  take(worker: number): QueuedJob<J> | undefined
  /** Frees the slots of a worker. */
  leave(worker: number): void
  /** Resolves when slots have become free. */
  nextChange(): Promise<void>
  wakeAll(): void
  /** Puts back a job that was not started. */
  putBack(queued: QueuedJob<J>): void
  /** Puts back the rest of a failed job. If no try is left, returns all its failures instead. */
  retry(rest: J, queued: QueuedJob<J>, end: FailedEnd): readonly string[] | undefined
}

export const createJobQueue = <J extends Job>({
  jobs,
  slots,
  slotsOf,
  isDeterministic = false,
}: QueueOptions<J>): JobQueue<J> => {
  const waiting: QueuedJob<J>[] = jobs.map((job) => ({ job, failures: [], withoutImpact: 0 }))
  /** The system of each worker, by its number. */
  const systems: (string | undefined)[] = []
  let change = Promise.withResolvers<void>()
  const wakeAll = (): void => {
    change.resolve()
    change = Promise.withResolvers()
  }
  const setSystem = (worker: number, system: string | undefined): void => {
    if (systems[worker] === system) return
    systems[worker] = system
    wakeAll()
  }
  return {
    get isEmpty() {
      return waiting.length === 0
    },
    take(worker) {
      const otherSystems = systems.filter((_, index) => index !== worker)
      const currentSystem = systems[worker]
      const index = chooseJob(
        waiting.map(({ job }) => job),
        { currentSystem, otherSystems, slots, slotsOf },
      )
      if (index === undefined) return undefined
      const [queued] = waiting.splice(index, 1)
      setSystem(worker, queued!.job.problem.system)
      return queued
    },
    leave: (worker) => setSystem(worker, undefined),
    nextChange: () => change.promise,
    wakeAll,
    putBack: (queued) => void waiting.unshift(queued),
    retry(rest, queued, { failure, isLost }) {
      const failures = [...queued.failures, failure.message]
      const withoutImpact = queued.withoutImpact + (failure.code === NO_USER_IMPACT ? 1 : 0)
      const isHopeless = failures.length >= MAX_TRIES || withoutImpact >= MAX_WITHOUT_IMPACT
      const isRepeatable = failure.code !== UNSUPPORTED && (isLost || !isDeterministic)
      if (isHopeless || !isRepeatable) return failures
      const retried = { job: rest, failures, withoutImpact }
      // A provider may answer later. Other jobs are retried at once, while their cluster is open.
      if (failure.blame === 'provider') waiting.push(retried)
      else waiting.unshift(retried)
      return undefined
    },
  }
}

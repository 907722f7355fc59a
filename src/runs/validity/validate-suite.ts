/** Proves a suite: every attempt at every problem, by workers side by side, each kept in a ledger as it ends. */
import type { Problem } from '../../spec/index.ts'
import type { AttemptResult, EpisodeJob, FinishedAttempt } from '../attempt.ts'
import { placesOf } from '../pool/places-of.ts'
import { runJobs } from '../pool/run-jobs.ts'
import { type EpisodeWorkerOptions, startEpisodeWorker } from '../pool/start-episode-worker.ts'
import type { Failure } from '../pool/worker-messages.ts'
import { removeDeadDrafts } from '../records/remove-dead-drafts.ts'
import { clearAway } from '../worker-program.ts'
import type { Ledger } from './ledger.ts'
import type { PlanOptions } from './plan-attempts.ts'
import { planSuite } from './plan-suite.ts'
import { summarise, type Validity } from './summarise.ts'

export interface Progress {
  readonly finished: number
  readonly planned: number
  /** The attempt that has just ended. */
  readonly result: AttemptResult
}

export interface ValidationOptions extends PlanOptions, EpisodeWorkerOptions {
  readonly workers: number
  readonly ledger: Ledger
  /** The folder for the records of all attempts. */
  readonly records?: string | undefined
  readonly signal: AbortSignal
  onProgress?(progress: Progress): void
  /** What a worker does just now. */
  onStage?(problem: Problem, text: string): void
  /** The harness failed; what it spoilt is done again. */
  onFailure?(problem: Problem, failure: Failure): void
}

const bySystem = (one: EpisodeJob, other: EpisodeJob): number => {
  const [a, b] = [one.problem.system, other.problem.system]
  return a === b ? 0 : a < b ? -1 : 1
}

const toVoid = ({ problem, attempts }: EpisodeJob, failure: Failure): FinishedAttempt[] =>
  attempts.map(({ name, expected }) => ({
    problem: problem.id,
    system: problem.system,
    faults: problem.faults.map(({ fault }) => fault),
    task: problem.task,
    attempt: name,
    expected,
    outcome: 'void',
    blame: failure.blame,
    code: failure.code,
    reason: failure.message,
    stages: {},
    felt: false,
    alerts: [],
    damage: 0,
  }))

/** What is in the ledger already is not done again. */
export const validateSuite = async (
  problems: readonly Problem[],
  options: ValidationOptions,
): Promise<Validity> => {
  const { ledger, records } = options
  const plan = planSuite(problems, options)
  const planned = plan.flatMap(({ attempts }) => attempts).length
  const jobs = plan
    .map(({ problem, attempts }): EpisodeJob => {
      const left = attempts.filter(({ name }) => !ledger.has(problem.id, name))
      return { problem, attempts: left, ...(records === undefined ? {} : { records }) }
    })
    .filter(({ attempts }) => attempts.length > 0)
    .toSorted(bySystem)
  let finished = planned - jobs.flatMap(({ attempts }) => attempts).length

  const keep = (one: FinishedAttempt, failures: readonly string[], tries: number): void => {
    const result = { ...one, tries, ...(failures.length === 0 ? {} : { failures }) }
    try {
      ledger.add(result)
    } catch (error) {
      // What could not be kept would have to be done again: nothing more is begun.
      spoilt.abort(error)
      return
    }
    finished += 1
    options.onProgress?.({ finished, planned, result })
  }
  const spoilt = new AbortController()
  const signal = AbortSignal.any([options.signal, spoilt.signal])
  const removeDrafts = (): void => {
    if (records !== undefined) removeDeadDrafts(records)
  }
  removeDrafts()
  const running = runJobs<EpisodeJob, FinishedAttempt>({
    jobs,
    workers: options.workers,
    signal,
    clearAway,
    placesOf: await placesOf(
      jobs.map(({ problem }) => problem.system),
      options.workers,
    ),
    startWorker: () => startEpisodeWorker<EpisodeJob, FinishedAttempt>(options),
    onStage: ({ problem }, text) => options.onStage?.(problem, text),
    onFailure: ({ problem }, failure) => options.onFailure?.(problem, failure),
    onAttempt: (_, result, failures) => keep(result, failures, failures.length + 1),
    onGivenUp(job, failure, failures) {
      const [first, ...others] = toVoid(job, failure)
      keep(first!, failures, failures.length)
      // These were never begun.
      for (const one of others) keep(one, [], 1)
    },
  })
  await running.finally(removeDrafts)
  return summarise(plan, ledger.results)
}

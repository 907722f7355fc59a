/** Validates a suite: makes every attempt at every problem on several workers, and keeps each result in a ledger. */
import { join } from 'node:path'
import { defined } from '#kit'
import { keepVoidRecord, recordPathOf, removeStaleDrafts, type VoidTry } from '#lab/records'
import {
  cleanUp,
  type EpisodeWorkerOptions,
  type Failure,
  runJobs,
  slotsOf,
  startEpisodeWorker,
  usesMachine,
} from '#lab/workers'
import { DEFAULT_ENGINE, type Problem } from '#spec'
import type { AttemptResult, FinishedAttempt, PlannedAttempt, ValidationJob } from './attempt.ts'
import type { Ledger } from './ledger.ts'
import type { PlanOptions } from './plan-attempts.ts'
import { planSuite } from './plan-suite.ts'
import { summarise, type Validity } from './summarise.ts'

export const VALIDATION_WORKER = join(import.meta.dirname, 'validation-worker.ts')

export interface Progress {
  readonly finished: number
  readonly planned: number
  /** The attempt that has just ended. */
  readonly result: AttemptResult
}

export interface ValidationOptions extends PlanOptions, EpisodeWorkerOptions {
  readonly workers: number
  /** The name of the engine; `local` by default. */
  readonly engine?: string | undefined
  readonly ledger: Ledger
  /** The folder for the records of all attempts. */
  readonly records?: string | undefined
  readonly signal: AbortSignal
  /** Loads the systems of void attempts; by default from the systems of this version. */
  readonly loadSystem?: VoidTry['loadSystem']
  onProgress?(progress: Progress): void
  /** A worker has started the stage that `text` describes. */
  onStage?(problem: Problem, text: string): void
  /** A try failed and proves nothing. The attempt is retried, unless this was its last try. */
  onFailure?(problem: Problem, failure: Failure): void
}

/** Orders jobs by system, so that workers keep their clusters. Large systems come first: at the end they would leave workers idle. */
const compareSystems =
  ({ systemOf }: Pick<ValidationOptions, 'systemOf'>) =>
  (one: ValidationJob, other: ValidationJob): number => {
    const [a, b] = [one.problem.system, other.problem.system]
    if (a === b) return 0
    return systemOf(b).workloads.length - systemOf(a).workloads.length || (a < b ? -1 : 1)
  }

/** Keeps the record of a void attempt, and derives its result from it. */
const keepVoid = async (
  { problem, engine = DEFAULT_ENGINE, records }: ValidationJob,
  { name, expected }: PlannedAttempt,
  failed: Pick<VoidTry, 'failure' | 'pid'>,
  { faults, loadSystem }: ValidationOptions,
): Promise<FinishedAttempt> => {
  const path = records === undefined ? undefined : recordPathOf(records, problem.id, name)
  const start = { problem, solver: name, engine }
  const { verdict } = await keepVoidRecord({ ...failed, path, start, faults, loadSystem })
  const { outcome, reason, blame, code, damage } = verdict
  return {
    problem: problem.id,
    system: problem.system,
    faults: problem.faults.map(({ fault }) => fault),
    task: problem.task,
    attempt: name,
    expected,
    outcome,
    reason,
    ...defined({ blame, code }),
    stages: {},
    hasImpact: false,
    alerts: [],
    damage: damage.length,
  }
}

/** Returns the job without the attempt that has ended, or undefined if that was the last one. */
const remaining = (job: ValidationJob, { attempt }: FinishedAttempt): ValidationJob | undefined => {
  const attempts = job.attempts.filter(({ name }) => name !== attempt)
  return attempts.length === 0 ? undefined : { ...job, attempts }
}

type Plan = ReturnType<typeof planSuite>

/** Leaves out the attempts that are already in the ledger. */
const toJobs = (plan: Plan, { ledger, records, engine, systemOf }: ValidationOptions): ValidationJob[] =>
  plan
    .map(({ problem, attempts }): ValidationJob => {
      const unfinished = attempts.filter(({ name }) => !ledger.has(problem.id, name))
      return { problem, attempts: unfinished, ...defined({ records, engine }) }
    })
    .filter(({ attempts }) => attempts.length > 0)
    .toSorted(compareSystems({ systemOf }))

const runAttempts = async (plan: Plan, options: ValidationOptions): Promise<void> => {
  const { ledger, workers } = options
  const planned = plan.flatMap(({ attempts }) => attempts).length
  const jobs = toJobs(plan, options)
  let finished = planned - jobs.flatMap(({ attempts }) => attempts).length
  const stopping = new AbortController()
  const storeResult = (attempt: FinishedAttempt, failed: readonly string[], tries: number): void => {
    const result = { ...attempt, tries, ...defined({ failures: failed.length === 0 ? undefined : failed }) }
    try {
      ledger.add(result)
    } catch (error) {
      // A result that is not in the ledger is lost, so no further attempt is started.
      stopping.abort(error)
      return
    }
    finished += 1
    options.onProgress?.({ finished, planned, result })
  }
  const voidResults = new Map<string, FinishedAttempt>()
  const systems = jobs.map(({ problem }) => problem.system)
  await runJobs<ValidationJob, FinishedAttempt>({
    jobs,
    workers,
    isDeterministic: !usesMachine(options.engine ?? DEFAULT_ENGINE),
    signal: AbortSignal.any([options.signal, stopping.signal]),
    cleanUp: () => cleanUp(options.engine),
    remaining,
    slotsOf: await slotsOf(systems, workers, defined({ engine: options.engine })),
    startWorker: () => startEpisodeWorker<ValidationJob, FinishedAttempt>(VALIDATION_WORKER, options),
    onStage: ({ problem }, text) => options.onStage?.(problem, text),
    onFailure: ({ problem }, failure) => options.onFailure?.(problem, failure),
    onResult: (_, result, failed) => storeResult(result, failed, failed.length + 1),
    async onVoidTry(job, failure, pid) {
      voidResults.set(job.problem.id, await keepVoid(job, job.attempts[0]!, { failure, pid }, options))
    },
    async onGivenUp(job, failure, failed) {
      storeResult(voidResults.get(job.problem.id)!, failed, failed.length)
      // The remaining attempts were never started.
      for (const attempt of job.attempts.slice(1))
        storeResult(await keepVoid(job, attempt, { failure, pid: undefined }, options), [], 1)
    },
  })
}

/** Skips the attempts that are already in the ledger. */
export const validateSuite = async (
  problems: readonly Problem[],
  options: ValidationOptions,
): Promise<Validity> => {
  const { records, ledger } = options
  const plan = planSuite(problems, options)
  const removeDrafts = (): void => {
    if (records !== undefined) removeStaleDrafts(records)
  }
  removeDrafts()
  await runAttempts(plan, options).finally(removeDrafts)
  return summarise(plan, ledger.results)
}

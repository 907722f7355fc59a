/** Plays the unfinished episodes of a run on several workers, and stores each result immediately. */
import { join } from 'node:path'
import { defined } from '#kit'
import { keepVoidRecord, recordPathOf, type VoidTry } from '#lab/records'
import {
  cleanUp,
  type EpisodeWorkerOptions,
  type Failure,
  runJobs,
  slotsOf,
  startEpisodeWorker,
} from '#lab/workers'
import { type EpisodeResult, type Fault, isFinalVoid, type RunManifest } from '#spec'
import { type RunFolder, runPaths } from '../folder/run-folder.ts'
import { type PlannedEpisode, planEpisodes } from './plan-episodes.ts'
import { recoverResults } from './recover-results.ts'
import type { RunJob } from './run-job.ts'
import { type FinishedEpisode, toEpisodeResult } from './to-episode-result.ts'
import { watchFailures } from './watch-failures.ts'

export const RUN_WORKER = join(import.meta.dirname, '..', 'run-worker.ts')

export interface RunProgress {
  readonly finished: number
  readonly planned: number
  readonly result: EpisodeResult
}

export interface RunStart {
  readonly planned: number
  /** The results of episodes that are not played again. */
  readonly finished: readonly EpisodeResult[]
}

export interface PlayOptions extends EpisodeWorkerOptions {
  readonly workers: number
  readonly faults: ReadonlyMap<string, Fault>
  readonly signal: AbortSignal
  /** Loads the systems of void episodes; by default from the systems of this version. */
  readonly loadSystem?: VoidTry['loadSystem']
  /** The path of kubectl, for the shell of agents. */
  readonly kubectl?: string | undefined
  /** A sentence that says how to resume the run. */
  readonly resumeHint: string
  onStart?(start: RunStart): void
  onEpisode?(progress: RunProgress): void
  /** Reports the current activity of a worker for an episode. */
  onStage?(planned: PlannedEpisode, text: string): void
  /** A try failed, and the agent is not to blame. The episode is retried, unless this was its last try. */
  onFailure?(planned: PlannedEpisode, failure: Failure): void
  /** Asks the operator before an agent acts. */
  onQuestion?(planned: PlannedEpisode, text: string): Promise<boolean>
}

/** Void episodes are played again, unless the result would be the same. */
const isFinal = (result: EpisodeResult): boolean => result.outcome !== 'void' || isFinalVoid(result)

/** The episodes of the manifest without a final result, in the order in which they are played. */
export const unfinishedOf = (
  manifest: RunManifest,
  results: readonly EpisodeResult[],
): readonly PlannedEpisode[] => {
  const final = new Set(results.filter(isFinal).map(({ episode }) => episode))
  return planEpisodes(manifest).filter(({ episode }) => !final.has(episode))
}

const toJob = (
  { path, manifest: { engine, settings, rollback } }: RunFolder,
  planned: PlannedEpisode,
  kubectl: string | undefined,
): RunJob => {
  const { records, telemetry } = runPaths(path)
  return {
    problem: planned.problem,
    planned,
    engine,
    settings,
    rollback,
    kubectl,
    record: recordPathOf(records, planned.episode),
    ...(settings.keepsTelemetry ? { telemetry } : {}),
  }
}

/** Adds the results of complete records that were not yet in the list of results when the run was killed. */
const addRecovered = (folder: RunFolder, faults: PlayOptions['faults']): void => {
  const { records } = runPaths(folder.path)
  for (const found of recoverResults(records, unfinishedOf(folder.manifest, folder.results), faults))
    folder.add(found)
}

/** Keeps the record of a void try, and derives from it the result of the episode if it is not tried again. */
const keepVoid = async (
  { problem, planned, engine, record: path }: RunJob,
  failed: Pick<VoidTry, 'failure' | 'pid'>,
  { faults, loadSystem }: PlayOptions,
): Promise<FinishedEpisode> => {
  const { secret, contender } = planned
  const start = { problem, solver: contender.name, engine, secret }
  const { events } = await keepVoidRecord({ ...failed, path, start, faults, loadSystem })
  return toEpisodeResult(planned, events, faults)
}

/** Resolves when every episode has a result. Rejects if the signal is aborted or storing a result fails. */
export const playRun = async (folder: RunFolder, options: PlayOptions): Promise<void> => {
  const { faults, signal, resumeHint, workers, kubectl, onQuestion } = options
  const planned = planEpisodes(folder.manifest).length
  addRecovered(folder, faults)
  const unfinished = unfinishedOf(folder.manifest, folder.results)
  const unfinishedNames = new Set(unfinished.map(({ episode }) => episode))
  const earlier = folder.results.filter(({ episode }) => !unfinishedNames.has(episode))
  let finished = earlier.length
  options.onStart?.({ planned, finished: earlier })
  const voidResults = new Map<string, FinishedEpisode>()
  const stopping = new AbortController()
  const failures = watchFailures(unfinished, resumeHint, (error) => stopping.abort(error))
  const storeResult = (episode: FinishedEpisode, failed: readonly string[], tries: number): void => {
    const result = { ...episode, tries, ...defined({ failures: failed.length === 0 ? undefined : failed }) }
    try {
      folder.add(result)
      finished += 1
      options.onEpisode?.({ finished, planned, result })
    } catch (error) {
      // The result is lost and the episode must be played again, so no further episode is started.
      stopping.abort(error)
    }
  }
  const systems = unfinished.map(({ problem }) => problem.system)
  await runJobs<RunJob, FinishedEpisode>({
    jobs: unfinished.map((one) => toJob(folder, one, kubectl)),
    workers,
    signal: AbortSignal.any([signal, stopping.signal]),
    cleanUp: () => cleanUp(folder.manifest.engine),
    slotsOf: await slotsOf(systems, workers, { engine: folder.manifest.engine }),
    startWorker: () => startEpisodeWorker<RunJob, FinishedEpisode>(RUN_WORKER, options),
    onStage: (job, text) => options.onStage?.(job.planned, text),
    ...defined({
      onQuestion: onQuestion && ((job: RunJob, text: string) => onQuestion(job.planned, text)),
    }),
    onResult(job, result, failed) {
      failures.onVerdict(job.planned)
      storeResult(result, failed, failed.length + 1)
    },
    onFailure(job, failure) {
      options.onFailure?.(job.planned, failure)
      failures.onFailure(job.planned, failure)
    },
    async onVoidTry(job, failure, pid) {
      voidResults.set(job.planned.episode, await keepVoid(job, { failure, pid }, options))
    },
    onGivenUp({ planned }, _, failed) {
      failures.onGivenUp(planned)
      storeResult(voidResults.get(planned.episode)!, failed, failed.length)
    },
  })
}

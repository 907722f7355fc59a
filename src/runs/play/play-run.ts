/** Plays the episodes of a run that have not ended yet, by workers side by side, each kept as it ends. */
import { createRealClock } from '../../kit/index.ts'
import { type EpisodeResult, type Fault, RemediumError, type RunManifest } from '../../spec/index.ts'
import { type RunFolder, runPaths } from '../folder/run-folder.ts'
import { placesOf } from '../pool/places-of.ts'
import { runJobs } from '../pool/run-jobs.ts'
import { type EpisodeWorkerOptions, startEpisodeWorker } from '../pool/start-episode-worker.ts'
import type { Failure } from '../pool/worker-messages.ts'
import { recordPathOf } from '../records/record-path.ts'
import { clearAway } from '../worker-program.ts'
import type { AgentJob } from './agent-job.ts'
import { type PlannedEpisode, planEpisodes } from './plan-episodes.ts'
import { recoverResults } from './recover-results.ts'
import { type FinishedEpisode, toVoidResult } from './to-episode-result.ts'

/** Failures of providers in a row: then nobody answers, and all the rest would be void. */
const MOST_SILENT_CALLS = 8

export interface RunProgress {
  readonly finished: number
  readonly planned: number
  readonly result: EpisodeResult
}

export interface PlayOptions extends EpisodeWorkerOptions {
  readonly workers: number
  readonly faults: ReadonlyMap<string, Fault>
  readonly signal: AbortSignal
  /** The file of kubectl, for the shell of agents. */
  readonly kubectl?: string | undefined
  /** A sentence on how to go on with the run later. */
  readonly goOn: string
  onBegin?(counts: { readonly finished: number; readonly planned: number }): void
  onEpisode?(progress: RunProgress): void
  /** What is done just now for an episode. */
  onStage?(planned: PlannedEpisode, text: string): void
  /** Something failed that is not the agent's fault; the episode is begun again. */
  onFailure?(planned: PlannedEpisode, failure: Failure): void
  /** Somebody must say yes before an agent acts. */
  onQuestion?(planned: PlannedEpisode, text: string): Promise<boolean>
}

/** What users do not feel would only be tried until they do; what others spoilt is worth another run. */
const isFinal = ({ outcome, code }: EpisodeResult): boolean => outcome !== 'void' || code === 'not-felt'

/** Episodes of the manifest without a verdict, in the order in which they are to be played. */
export const unfinishedOf = (
  manifest: RunManifest,
  results: readonly EpisodeResult[],
): readonly PlannedEpisode[] => {
  const ended = new Set(results.filter(isFinal).map(({ episode }) => episode))
  return planEpisodes(manifest).filter(({ episode }) => !ended.has(episode))
}

const toJob = (
  { path, manifest: { settings, rollback } }: RunFolder,
  planned: PlannedEpisode,
  kubectl: string | undefined,
): AgentJob => {
  const { records, telemetry } = runPaths(path)
  return {
    problem: planned.problem,
    attempts: [{ name: planned.episode }],
    planned,
    settings,
    rollback,
    kubectl,
    record: recordPathOf(records, planned.episode),
    ...(settings.keepsTelemetry ? { telemetry } : {}),
  }
}

/** Ends the run where going on would only make more void episodes: of all contenders with episodes `left`, not of one whose model is down. */
const watchFailures = (
  left: readonly PlannedEpisode[],
  goOn: string,
  stop: (error: RemediumError) => void,
) => {
  const silent = new Map<string, number>()
  const leftOf = new Map<string, number>()
  for (const { contender } of left) leftOf.set(contender.name, (leftOf.get(contender.name) ?? 0) + 1)
  const toError = ({ code, message, blame }: Failure, hint: string): RemediumError =>
    new RemediumError(code as 'defect', message.replace(/[^.]$/, '$&.'), { blame, hint })
  const isDone = (name: string): boolean => leftOf.get(name) === 0
  const isSilent = (name: string): boolean => (silent.get(name) ?? 0) >= MOST_SILENT_CALLS
  return {
    good({ contender }: PlannedEpisode) {
      silent.delete(contender.name)
    },
    ended({ contender: { name } }: PlannedEpisode) {
      leftOf.set(name, leftOf.get(name)! - 1)
    },
    bad({ contender: { name } }: PlannedEpisode, failure: Failure) {
      silent.set(name, failure.blame === 'provider' ? (silent.get(name) ?? 0) + 1 : 0)
      if (failure.blame === 'operator' && failure.code !== 'interrupted')
        stop(toError(failure, 'Nothing that had ended is lost.'))
      else if ([...leftOf.keys()].every((one) => isDone(one) || isSilent(one)))
        stop(toError(failure, `No model answers any more. ${goOn}`))
    },
  }
}

/**
 * Resolves when every episode has a result; rejects with the signal's reason, or with what a result could not be kept for,
 * when all workers have ended.
 */
export const playRun = async (folder: RunFolder, options: PlayOptions): Promise<void> => {
  const { faults, signal, goOn } = options
  const planned = planEpisodes(folder.manifest).length
  const { records } = runPaths(folder.path)
  for (const found of recoverResults(records, unfinishedOf(folder.manifest, folder.results), faults))
    folder.add(found)
  const left = unfinishedOf(folder.manifest, folder.results)
  let finished = planned - left.length
  options.onBegin?.({ finished, planned })
  const clock = createRealClock()
  const stopping = new AbortController()
  const failures = watchFailures(left, goOn, (error) => stopping.abort(error))

  const keep = (one: FinishedEpisode, spoilt: readonly string[], tries: number): void => {
    const result = { ...one, tries, ...(spoilt.length === 0 ? {} : { failures: spoilt }) }
    try {
      folder.add(result)
      finished += 1
      options.onEpisode?.({ finished, planned, result })
    } catch (error) {
      // What cannot be kept would have to be played again: nothing more is begun.
      stopping.abort(error)
    }
  }
  const { onQuestion } = options
  await runJobs<AgentJob, FinishedEpisode>({
    jobs: left.map((one) => toJob(folder, one, options.kubectl)),
    workers: options.workers,
    signal: AbortSignal.any([signal, stopping.signal]),
    clearAway,
    placesOf: await placesOf(
      left.map(({ problem }) => problem.system),
      options.workers,
    ),
    startWorker: () => startEpisodeWorker<AgentJob, FinishedEpisode>(options),
    onStage: ({ planned: one }, text) => options.onStage?.(one, text),
    ...(onQuestion === undefined ? {} : { onQuestion: (job, text) => onQuestion(job.planned, text) }),
    onAttempt({ planned: one }, result, spoilt) {
      failures.good(one)
      failures.ended(one)
      keep(result, spoilt, spoilt.length + 1)
    },
    onFailure({ planned: one }, failure) {
      options.onFailure?.(one, failure)
      failures.bad(one, failure)
    },
    onGivenUp({ planned: one }, failure, spoilt) {
      failures.ended(one)
      keep(toVoidResult(one, failure, faults, clock.now()), spoilt, spoilt.length)
    },
  })
}

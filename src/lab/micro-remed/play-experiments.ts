/** Plays a series of MicroRemed's experiments as a run, and writes its conversation files and its summary. */
import { resolve } from 'node:path'
import { readRecord } from '#exam/episode'
import { giveToCaller } from '#kit'
import { executeRun, prepareMachine, withResumeHint } from '#lab/launch'
import { makeFolder, recordPathOf, replaceFile } from '#lab/records'
import { openRunFolder, type RunFolder, type RunSummary, runPaths } from '#lab/runs'
import type { EpisodeEvent, EpisodeResult } from '#spec'
import {
  conversationName,
  countAttempts,
  toConversationFile,
  writeConversation,
} from './conversation-file.ts'
import { type CheckCounts, countChecks } from './count-checks.ts'
import { experimentSummary } from './experiment-summary.ts'
import { planSeries, type Series } from './plan-series.ts'

export interface PlayedSeries {
  readonly folder: string
  readonly summary: RunSummary
  /** How MicroRemed's own check compares with the verdicts. */
  readonly microRemedCheck: CheckCounts
  /** The summary in MicroRemed's format. */
  readonly text: string
}

interface OpenSeries {
  readonly folder: RunFolder
  readonly kubectl: string | undefined
}

const openSeries = async (series: Series, signal: AbortSignal): Promise<OpenSeries> => {
  const { out, anyCommit, root, progress } = series
  const manifest = await planSeries(series)
  const kubectl = await prepareMachine({ folder: out, manifest, root, progress })
  signal.throwIfAborted()
  const { commit } = manifest
  return { folder: openRunFolder(resolve(out), { manifest, commit, anyCommit }), kubectl }
}

/** Returns a function that writes the conversation file of a result. A void episode has none. */
const createWriter = (series: Series, eventsOf: (episode: string) => readonly EpisodeEvent[]) => {
  const numbers = new Map(series.problems.map(({ id }, index) => [id, index]))
  return (result: EpisodeResult): void => {
    if (result.outcome === 'void') return
    const number = numbers.get(result.problem)!
    const name = conversationName(series.problems[number]!, result.categories[0] ?? 'none', number)
    writeConversation(series.savePath, name, toConversationFile(result, eventsOf(result.episode)))
  }
}

/** Rejects with the signal's reason if it is aborted. Starts nothing if it is already aborted. */
export const playExperiments = async (series: Series, signal: AbortSignal): Promise<PlayedSeries> => {
  signal.throwIfAborted()
  const { folder, kubectl } = await openSeries(series, signal)
  const { records } = runPaths(folder.path)
  const eventsOf = (episode: string) => readRecord(recordPathOf(records, episode))
  const writeResult = createWriter(series, eventsOf)
  try {
    makeFolder(series.savePath, series.savePathOption)
    const { workers, resumeHint, progress } = series
    const options = { workers, kubectl, resumeHint, signal, progress, onEpisode: writeResult }
    const summary = await executeRun(folder, options)
    const text = experimentSummary(
      folder.results.map((result) => ({
        result,
        attempts: result.outcome === 'void' ? 0 : countAttempts(eventsOf(result.episode)),
      })),
    )
    try {
      // Includes episodes that finished before the run was resumed.
      for (const result of folder.results) writeResult(result)
      if (series.log !== undefined) replaceFile(series.log, `${text}\n`)
      for (const path of [series.savePath, series.log]) if (path !== undefined) giveToCaller(path)
    } catch (error) {
      progress(`\n${text}\n`)
      throw withResumeHint(error, resumeHint)
    }
    return { folder: folder.path, summary, microRemedCheck: countChecks(folder.results), text }
  } finally {
    folder.close()
  }
}

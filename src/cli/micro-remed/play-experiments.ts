/** A series of MicroRemed's experiments: a run of ours, with its conversation files and its summary beside it. */
import { resolve } from 'node:path'
import type { RunFolder, RunSummary } from '../../runs/index.ts'
import type { EpisodeResult } from '../../spec/index.ts'
import { withWayOn } from '../runs/with-way-on.ts'
import { planSeries, type Series } from './plan-series.ts'

export interface PlayedSeries {
  readonly folder: string
  readonly summary: RunSummary
  /** In MicroRemed's words. */
  readonly text: string
}

interface Opened {
  readonly folder: RunFolder
  readonly kubectl: string | undefined
}

const openSeries = async (series: Series, signal: AbortSignal): Promise<Opened> => {
  const { prepareMachine } = await import('../runs/prepare-machine.ts')
  const { openRunFolder } = await import('../../runs/index.ts')
  const { out, anyCommit, root, progress } = series
  const manifest = await planSeries(series)
  const kubectl = await prepareMachine(out, root, progress)
  signal.throwIfAborted()
  const { commit } = manifest
  const folder = openRunFolder(resolve(out), { manifest, commit, anyCommit })
  return { folder, kubectl }
}

/** Rejects with the signal's reason, before anything is begun where it was aborted between two series. */
export const playExperiments = async (series: Series, signal: AbortSignal): Promise<PlayedSeries> => {
  signal.throwIfAborted()
  const { executeRun } = await import('../runs/execute-run.ts')
  const runs = await import('../../runs/index.ts')
  const { readRecord } = await import('../../episode/index.ts')
  const { folder, kubectl } = await openSeries(series, signal)
  const { records } = runs.runPaths(folder.path)
  const eventsOf = (episode: string) => readRecord(runs.recordPathOf(records, episode))
  const numbers = new Map(series.problems.map(({ id }, index) => [id, index]))
  const keep = (result: EpisodeResult): void => {
    if (result.outcome === 'void') return
    const number = numbers.get(result.problem)!
    const name = runs.conversationName(series.problems[number]!, result.categories[0] ?? 'none', number)
    runs.writeConversation(series.savePath, name, runs.toConversationFile(result, eventsOf(result.episode)))
  }
  try {
    runs.makeFolder(series.savePath, series.savePathOption)
    const { workers, goOn, progress } = series
    const summary = await executeRun(folder, { workers, kubectl, goOn, signal, progress, onEpisode: keep })
    const experiments = folder.results.map((result) => ({
      result,
      attempts: result.outcome === 'void' ? 0 : runs.attemptsIn(eventsOf(result.episode)),
    }))
    const text = runs.experimentSummary(experiments)
    try {
      // Those too that had ended before this process began.
      for (const result of folder.results) keep(result)
      if (series.log !== undefined) runs.writeWhole(series.log, `${text}\n`)
    } catch (error) {
      progress(`\n${text}\n`)
      throw withWayOn(error, goOn)
    }
    return { folder: folder.path, summary, text }
  } finally {
    folder.close()
  }
}

/** Plays the remaining episodes of a run, shows progress, and writes the summary. */
import type { RunFolder, RunSummary } from '#lab/runs'
import type { EpisodeResult } from '#spec'
import { contactModels } from './contact-models.ts'
import { runTable } from './run-table.ts'
import { createRunView } from './run-view.ts'
import { withResumeHint } from './with-resume-hint.ts'

export interface Execution {
  readonly workers: number
  /** The path of kubectl for the agents' shell. */
  readonly kubectl: string | undefined
  /** A sentence that says how to resume the run. */
  readonly resumeHint: string
  readonly signal: AbortSignal
  progress(line: string): void
  onEpisode?(result: EpisodeResult): void
}

/** Rejects if the signal is aborted; results of finished episodes are kept. */
export const executeRun = async (
  folder: RunFolder,
  { workers, kubectl, resumeHint, signal, progress, onEpisode }: Execution,
): Promise<RunSummary> => {
  const { cleanUp } = await import('#lab/workers')
  const { playRun, summariseRun, unfinishedOf } = await import('#lab/runs')
  const { loadFaults } = await import('#exam/faults')
  const { manifest } = folder
  const unfinished = new Set(unfinishedOf(manifest, folder.results).map(({ contender }) => contender.name))
  const contenders = manifest.contenders.filter(({ name }) => unfinished.has(name))
  await contactModels(contenders, manifest.settings, signal)
  // Removes the leftovers of killed runs, which can include earlier sessions of this run.
  await cleanUp(manifest.engine)
  const view = createRunView(progress)
  try {
    await playRun(folder, {
      workers,
      kubectl,
      faults: await loadFaults(),
      signal,
      resumeHint,
      ...view,
      ...(manifest.settings.isApproved ? {} : { onQuestion: async () => false }),
      onEpisode(episode) {
        view.onEpisode(episode)
        onEpisode?.(episode.result)
      },
    })
    view.end()
    const summary = summariseRun(manifest, folder.results)
    folder.writeSummary(summary)
    // A failed clean-up is ignored: the next command cleans up again.
    await cleanUp(manifest.engine).catch(() => {})
    return summary
  } catch (error) {
    view.end()
    if (folder.results.length > 0) progress(`\n${runTable(summariseRun(manifest, folder.results))}\n`)
    // The user must see the error of the run, not an error of the clean-up.
    await cleanUp(manifest.engine).catch(() => {})
    throw withResumeHint(error, resumeHint)
  }
}

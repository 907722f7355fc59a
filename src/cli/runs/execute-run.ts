/** Plays a run in its folder from where it is to its end, shows it, and sums it up. */
import type { RunFolder, RunSummary } from '../../runs/index.ts'
import type { EpisodeResult } from '../../spec/index.ts'
import { runTable } from './run-table.ts'
import { createRunView } from './run-view.ts'
import { withWayOn } from './with-way-on.ts'

export interface Execution {
  readonly workers: number
  /** The file of kubectl, for the shell of agents. */
  readonly kubectl: string | undefined
  /** A sentence on how to go on with it. */
  readonly goOn: string
  /** The command's own: one that plays several runs is ended by it wherever it is. */
  readonly signal: AbortSignal
  progress(line: string): void
  /** Beside what is shown. */
  onEpisode?(result: EpisodeResult): void
}

/** Rejects where it is interrupted; everything that has ended is kept. */
export const executeRun = async (
  folder: RunFolder,
  { workers, kubectl, goOn, signal, progress, onEpisode }: Execution,
): Promise<RunSummary> => {
  const { clearAway, playRun, summariseRun } = await import('../../runs/index.ts')
  const { loadFaults } = await import('../../faults/index.ts')
  const { manifest } = folder
  // What earlier ones left that were killed, perhaps of this very run.
  await clearAway()
  const view = createRunView(progress)
  try {
    await playRun(folder, {
      workers,
      kubectl,
      faults: await loadFaults(),
      signal,
      goOn,
      ...view,
      ...(manifest.settings.isApproved ? {} : { onQuestion: async () => false }),
      onEpisode(shown) {
        view.onEpisode(shown)
        onEpisode?.(shown.result)
      },
    })
    view.end()
    const summary = summariseRun(manifest, folder.results)
    folder.writeSummary(summary)
    // The next command clears away, too; what could not be removed takes nobody's result.
    await clearAway().catch(() => {})
    return summary
  } catch (error) {
    view.end()
    // What has ended counts, whatever becomes of the rest.
    if (folder.results.length > 0) progress(`\n${runTable(summariseRun(manifest, folder.results))}\n`)
    // It is told why it broke off, not what the next one has to clear away.
    await clearAway().catch(() => {})
    throw withWayOn(error, goOn)
  }
}

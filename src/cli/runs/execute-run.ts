/** Plays a run in its folder from where it is to its end, shows it, and sums it up. */
import type { RunFolder, RunSummary } from '../../runs/index.ts'
import type { EpisodeResult } from '../../spec/index.ts'
import { interruptible } from '../validity/interruptible.ts'
import { createRunView } from './run-view.ts'

export interface Execution {
  readonly workers: number
  /** Of the repository. */
  readonly root: string
  progress(line: string): void
  /** Beside what is shown. */
  onEpisode?(result: EpisodeResult): void
}

/** Gives the file of kubectl. */
const ensureMachine = async (root: string, progress: Execution['progress']): Promise<string | undefined> => {
  const { ensureSystemPackages } = await import('../tools/system-packages.ts')
  const { ensureAnsible } = await import('../tools/ensure-ansible.ts')
  await ensureSystemPackages(progress)
  const { checkMachine } = await import('../../engines/local/machine/index.ts')
  checkMachine()
  ensureAnsible(progress)
  const { ensureKubectl } = await import('../tools/ensure-kubectl.ts')
  return ensureKubectl(root, progress)
}

/** Rejects where it is interrupted; everything that has ended is kept. */
export const executeRun = async (
  folder: RunFolder,
  { workers, root, progress, onEpisode }: Execution,
): Promise<RunSummary> => {
  const { clearAway, playRun, summariseRun, unfinishedOf } = await import('../../runs/index.ts')
  const { loadFaults } = await import('../../faults/index.ts')
  const { manifest } = folder
  const isOver = unfinishedOf(manifest, folder.results).length === 0
  const kubectl = isOver ? undefined : await ensureMachine(root, progress)
  const signal = interruptible(`Go on with: remedium run --resume ${folder.path}`)
  // What earlier ones left that were killed, perhaps of this very run.
  await clearAway()
  const view = createRunView(progress)
  try {
    await playRun(folder, {
      ...{ workers, kubectl, faults: await loadFaults(), signal },
      ...{ ...view, ...(manifest.settings.isApproved ? {} : { onQuestion: async () => false }) },
      onEpisode(shown) {
        view.onEpisode(shown)
        onEpisode?.(shown.result)
      },
    })
  } finally {
    view.end()
    await clearAway()
  }
  const summary = summariseRun(manifest, folder.results)
  folder.writeSummary(summary)
  return summary
}

/** Removes the remains of engines, sandboxes and workers that ended without cleaning up. */
import { createRealClock } from '#kit'
import { pruneClusterFolders, stateFolder } from '#platform/engines/folders'
import { DEFAULT_ENGINE } from '#spec'
import { usesMachine } from './engines.ts'
import { sweepWorkerFolders } from './pool/worker-folder.ts'

interface CleanUpResult {
  /** Names of clusters. */
  readonly removed: readonly string[]
  readonly sandboxes: number
  /** The number of temporary folders of workers. */
  readonly workers: number
}

/** Only root can have started real containers. */
const hasRealContainers = (): boolean => process.platform === 'linux' && process.getuid?.() === 0

/** Keeps everything whose owner is alive. A run on simulated clusters leaves only folders of workers behind. */
export const cleanUp = async (engine: string = DEFAULT_ENGINE): Promise<CleanUpResult> => {
  if (!usesMachine(engine)) return { removed: [], sandboxes: 0, workers: sweepWorkerFolders() }
  if (!hasRealContainers())
    return { removed: pruneClusterFolders(stateFolder()), sandboxes: 0, workers: sweepWorkerFolders() }
  // Imported here, because these modules load only on Linux.
  const { sweepSandboxes } = await import('#machine/sandbox')
  const { pruneClusters } = await import('#platform/engines/local/machine')
  const { removed } = await pruneClusters(stateFolder(), createRealClock({ keepsAlive: true }))
  const sandboxes = await sweepSandboxes()
  return { removed, sandboxes, workers: sweepWorkerFolders() }
}

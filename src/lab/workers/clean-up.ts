/** Removes the remains of engines, sandboxes and workers that ended without cleaning up. */
import { createRealClock } from '#kit'
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

/** Keeps everything whose owner is alive. An engine that does not use the machine leaves only folders of workers behind. */
export const cleanUp = async (engine: string = DEFAULT_ENGINE): Promise<CleanUpResult> => {
  if (!usesMachine(engine)) return { removed: [], sandboxes: 0, workers: sweepWorkerFolders() }
  // Imported here, because these modules load only on Linux.
  const { sweepSandboxes } = await import('#machine/sandbox')
  const { pruneClusters, stateFolder } = await import('#platform/engines/local/machine')
  const { removed } = await pruneClusters(stateFolder(), createRealClock({ keepsAlive: true }))
  const sandboxes = await sweepSandboxes()
  return { removed, sandboxes, workers: sweepWorkerFolders() }
}

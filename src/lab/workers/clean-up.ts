/** Removes the remains of engines, sandboxes and workers that ended without cleaning up. */
import { createRealClock } from '#kit'
import { sweepSandboxes } from '#machine/sandbox'
import { pruneClusters, stateFolder } from '#platform/engines/local/machine'
import { sweepWorkerFolders } from './pool/worker-folder.ts'

interface CleanUpResult {
  /** Names of clusters. */
  readonly removed: readonly string[]
  readonly sandboxes: number
  /** The number of temporary folders of workers. */
  readonly workers: number
}

/** Keeps everything whose owner is alive. */
export const cleanUp = async (): Promise<CleanUpResult> => {
  const { removed } = await pruneClusters(stateFolder(), createRealClock({ keepsAlive: true }))
  const sandboxes = await sweepSandboxes()
  return { removed, sandboxes, workers: sweepWorkerFolders() }
}

/** The workers that play episodes on the local engine: their program, and what is done when one was lost. */
import { join } from 'node:path'
import { pruneClusters, stateFolder } from '../engines/local/machine/index.ts'
import { createRealClock } from '../kit/index.ts'
import { sweepSandboxes } from '../sandbox/index.ts'
import { sweepWorkerFolders } from './pool/worker-folder.ts'

export const WORKER_PROGRAM = join(import.meta.dirname, 'worker-process.ts')

interface ClearedAway {
  /** Names of clusters. */
  readonly removed: readonly string[]
  readonly sandboxes: number
  /** Folders for temporary files of workers. */
  readonly workers: number
}

/** Removes what engines, sandboxes and workers left that have ended without clearing away, and nothing of those that live. */
export const clearAway = async (): Promise<ClearedAway> => {
  const { removed } = await pruneClusters(stateFolder(), createRealClock({ keepsAlive: true }))
  const sandboxes = await sweepSandboxes()
  return { removed, sandboxes, workers: sweepWorkerFolders() }
}

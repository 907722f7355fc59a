/** Starts the first process of forks, which loads all code, with a folder for the temporary files of all forks. */
import { COMPILE_CACHE } from '#lab/start'
import type { ForkedProcess } from '#machine/forks'
import { createWorkerFolder } from '../pool/worker-folder.ts'
import { createForkCaller } from './create-fork-caller.ts'

const NODE_FLAGS = ['--max-semi-space-size=4', '--disable-warning=ExperimentalWarning']

export interface RootProcess {
  readonly process: ForkedProcess
  /** Resolves when the process and its forks have ended and their folder is removed. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Resolves when the process can be forked. */
export const startRootProcess = async (program: string, silenceMs: number): Promise<RootProcess> => {
  // Imported here, because the module loads only on Linux.
  const { startForks } = await import('#machine/forks')
  const folder = createWorkerFolder()
  // Otherwise the first module would load the TypeScript compiler, whose memory all forks would share.
  const environment = { ...process.env, TMPDIR: folder.path, NODE_COMPILE_CACHE: COMPILE_CACHE }
  try {
    const root = await startForks({ program, flags: NODE_FLAGS, environment, folder: folder.path })
    const closed = root.ended.then(async () => {
      await root.close()
      folder.remove()
    })
    const close = async (): Promise<void> => {
      await root.close()
      await closed
    }
    await createForkCaller(root, { silenceMs, onStage() {} }).started
    return { process: root, closed, close }
  } catch (error) {
    folder.remove()
    throw error
  }
}

/** Removes a folder that strangers have filled. */
import { rm } from 'node:fs/promises'
import { runChecked } from './run-program.ts'

/** Longer than any disk takes for what a pod may keep. */
const PATIENCE_MS = 300_000

/**
 * Resolves, too, where there is nothing. Folders in folders may go so deep that no path leads to their end: for those
 * it takes the program `rm`, which goes there step by step.
 */
export const removeTree = async (path: string): Promise<void> => {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 2 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') throw error
    await runChecked('rm', ['-rf', '--', path], { timeoutMs: PATIENCE_MS })
  }
}

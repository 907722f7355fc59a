/** Removes a folder with untrusted content. */
import { rm } from 'node:fs/promises'
import { runChecked } from './run-program.ts'

/** Longer than the removal of the largest allowed folder takes. */
const TIMEOUT_MS = 300_000

/**
 * Also resolves if the folder does not exist. If nested folders exceed the maximum path length, it uses the
 * program `rm`, which works with relative paths.
 */
export const removeTree = async (path: string): Promise<void> => {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 2 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') throw error
    await runChecked('rm', ['-rf', '--', path], { timeoutMs: TIMEOUT_MS })
  }
}

/** Files that are removed only while they are what was once written: others may have put theirs in the same place. */
import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, rmSync } from 'node:fs'

export const digestOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex')

const isUnchanged = (path: string, digest: string): boolean => {
  try {
    // What is no plain file, such as a pipe, might keep its reader waiting.
    return lstatSync(path).isFile() && digestOf(readFileSync(path)) === digest
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

export const removeIfUnchanged = (path: string, digest: string): void => {
  if (isUnchanged(path, digest)) rmSync(path, { force: true })
}

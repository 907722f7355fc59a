/** Removes a file only if its content has the given digest: the user may have replaced it. */
import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, rmSync } from 'node:fs'

export const digestOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex')

const isUnchanged = (path: string, digest: string): boolean => {
  try {
    // Reading anything but a regular file, such as a pipe, might block.
    return lstatSync(path).isFile() && digestOf(readFileSync(path)) === digest
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

export const removeIfUnchanged = (path: string, digest: string): void => {
  if (isUnchanged(path, digest)) rmSync(path, { force: true })
}

/** Checks before a long command that an output file can be written. */
import { closeSync, openSync, realpathSync, rmSync, statSync } from 'node:fs'
import { RemediumError } from '#spec'

/**
 * `what` names the file in the error, `option` the option that set it. Leaves no new file behind. Opens the
 * file, because checking permissions is not sufficient: root has every permission, but cannot write to a
 * read-only or virtual file system.
 */
export const checkOutFile = (path: string, what: string, option: string): void => {
  const toError = (reason: string, cause?: unknown): RemediumError =>
    new RemediumError('bad-argument', `The ${what} cannot be written to ${path}: ${reason}.`, {
      hint: `Name a file in an existing, writable folder with ${option}.`,
      cause,
    })
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw toError('it is a folder')
  // Does not open pipes and devices: a reader at the other end would notice.
  if (found !== undefined && !found.isFile()) return
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch (cause) {
    throw toError((cause as Error).message, cause)
  }
  // Removes the file behind a dangling link, and keeps the link.
  if (found === undefined) rmSync(realpathSync(path))
}

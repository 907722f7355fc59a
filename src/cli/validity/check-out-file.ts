/** Tries before a long work whether its result or its ledger can be written where the user wants it. */
import { closeSync, openSync, realpathSync, rmSync, statSync } from 'node:fs'
import { RemediumError } from '../../spec/index.ts'

/** `what` it is, and the option that names it. Leaves nothing behind. */
export const checkOutFile = (path: string, what: string, option: string): void => {
  const cannot = (cause?: unknown): RemediumError =>
    new RemediumError('bad-argument', `The ${what} cannot be written to ${path}.`, {
      hint: `Name a file in a folder that exists and may be written to, with ${option}.`,
      cause,
    })
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw cannot()
  // Pipes and devices are not tried: to open one may be seen at its other end.
  if (found !== undefined && !found.isFile()) return
  try {
    closeSync(openSync(path, 'a'))
  } catch (cause) {
    throw cannot(cause)
  }
  // A link to a file that is not there yet stays.
  if (found === undefined) rmSync(realpathSync(path))
}

/** Tries before a long work whether its result can be written where the user wants it. */
import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { RemediumError } from '../../spec/index.ts'

export const checkOutFile = (path: string): void => {
  const cannot = (cause?: unknown): RemediumError =>
    new RemediumError('bad-argument', `The result cannot be written to ${path}.`, {
      hint: 'Name a file in a folder that exists and may be written to, with --out.',
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
  if (found === undefined) rmSync(path)
}

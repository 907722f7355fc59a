/** The files that a cluster's user asked for: kubeconfig and audit log. */
import {
  accessSync,
  constants,
  createWriteStream,
  lstatSync,
  openSync,
  type WriteStream,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { digestOf, removeIfUnchanged } from '../../kit/index.ts'
import { RemediumError } from '../../spec/index.ts'

const unwritable = (path: string, exists: boolean, cause?: unknown): RemediumError =>
  new RemediumError('bad-argument', `The kubeconfig cannot be written to ${path}.`, {
    hint: exists
      ? 'The file exists, perhaps from a cluster that still runs: remove it, or name another with --kubeconfig.'
      : 'Name a file in a folder that exists and may be written to, with --kubeconfig.',
    cause,
  })

/** So that a name that cannot be written to is told before the cluster starts. */
export const checkKubeconfig = (path: string): void => {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw unwritable(path, true)
  try {
    accessSync(dirname(path), constants.W_OK)
  } catch (cause) {
    throw unwritable(path, false, cause)
  }
}

export const writeKubeconfig = (path: string, text: string): void => {
  try {
    // Never over a file that is there: it may be somebody's only way into another cluster.
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    throw unwritable(path, (cause as NodeJS.ErrnoException).code === 'EEXIST', cause)
  }
}

/** Leaves a file that somebody has changed or put in its place. */
export const removeKubeconfig = (path: string, text: string): void => removeIfUnchanged(path, digestOf(text))

/** Opened before the cluster starts, so that a name that cannot be written to is told at once. */
export const openAuditLog = (path: string | undefined): WriteStream | undefined => {
  if (path === undefined) return undefined
  try {
    return createWriteStream(path, { fd: openSync(path, 'a', 0o600) })
  } catch (cause) {
    throw new RemediumError('bad-argument', `The audit log cannot be written to ${path}.`, {
      hint: 'Name a file in a folder that exists and may be written to, with --audit-log.',
      cause,
    })
  }
}

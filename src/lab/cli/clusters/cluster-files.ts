/** Writes the files of a cluster that the user named: kubeconfig and audit log. */
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
import { digestOf, removeIfUnchanged } from '#kit'
import { RemediumError } from '#spec'

const toUnwritable = (path: string, exists: boolean, cause?: unknown): RemediumError =>
  new RemediumError('bad-argument', `The kubeconfig cannot be written to ${path}.`, {
    hint: exists
      ? 'The file exists, perhaps from a running cluster: remove it, or name another one with --kubeconfig.'
      : 'Name a file in an existing, writable folder with --kubeconfig.',
    cause,
  })

/** Throws if the file exists or cannot be written. */
export const checkKubeconfig = (path: string): void => {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw toUnwritable(path, true)
  try {
    accessSync(dirname(path), constants.W_OK)
  } catch (cause) {
    throw toUnwritable(path, false, cause)
  }
}

export const writeKubeconfig = (path: string, text: string): void => {
  try {
    // Never overwrites a file: it may be the only kubeconfig of another cluster.
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    throw toUnwritable(path, (cause as NodeJS.ErrnoException).code === 'EEXIST', cause)
  }
}

/** Keeps a file that was changed or replaced. */
export const removeKubeconfig = (path: string, text: string): void => removeIfUnchanged(path, digestOf(text))

/** Throws if the file cannot be written. */
export const openAuditLog = (path: string | undefined): WriteStream | undefined => {
  if (path === undefined) return undefined
  try {
    return createWriteStream(path, { fd: openSync(path, 'a', 0o600) })
  } catch (cause) {
    throw new RemediumError('bad-argument', `The audit log cannot be written to ${path}.`, {
      hint: 'Name a file in an existing, writable folder with --audit-log.',
      cause,
    })
  }
}

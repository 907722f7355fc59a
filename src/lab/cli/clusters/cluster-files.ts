/** Writes the files that the user named for a cluster: the kubeconfig and the audit log. */
import { createWriteStream, lstatSync, openSync, type WriteStream, writeFileSync } from 'node:fs'
import { digestOf, removeIfUnchanged } from '#kit'
import { RemediumError } from '#spec'
import { checkOutFile } from '../check-out-file.ts'

const toFileExistsError = (path: string, cause?: unknown): RemediumError =>
  new RemediumError('bad-argument', `The kubeconfig cannot be written to ${path}: the file exists.`, {
    hint: 'It may belong to a running cluster. Remove it, or name another file with --kubeconfig.',
    cause,
  })

/** Throws if the file exists or cannot be written. Called before a cluster starts. */
export const checkKubeconfig = (path: string): void => {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw toFileExistsError(path)
  checkOutFile(path, 'kubeconfig', '--kubeconfig')
}

export const writeKubeconfig = (path: string, text: string): void => {
  try {
    // Never overwrites a file: it may be the only kubeconfig of another cluster.
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') throw toFileExistsError(path, cause)
    checkOutFile(path, 'kubeconfig', '--kubeconfig')
    throw cause
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

/** The files that a cluster's user asked for: kubeconfig and audit log. */
import { createWriteStream, openSync, rmSync, type WriteStream, writeFileSync } from 'node:fs'
import { RemediumError } from '../../spec/index.ts'

export const writeKubeconfig = (path: string, text: string): void => {
  try {
    // Never over a file that is there: it may be somebody's only way into another cluster.
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    throw new RemediumError('bad-argument', `The kubeconfig cannot be written to ${path}.`, {
      hint: exists
        ? 'The file exists, perhaps from a cluster that still runs: remove it, or name another with --kubeconfig.'
        : 'Name a file in a folder that exists and may be written to, with --kubeconfig.',
      cause,
    })
  }
}

export const removeKubeconfig = (path: string): void => rmSync(path, { force: true })

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

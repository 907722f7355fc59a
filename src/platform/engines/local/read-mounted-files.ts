/** Reads the single files that are mounted in a container, such as those of the kubelet: `/etc/hosts` and the termination log. */
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs'
import type { Mount } from './list-mounts.ts'
import { ownerAndModeOf } from './owner-and-mode.ts'

/** Files of the kubelet are smaller. Of larger ones, the size is compared. */
const MAX_BYTES = 64 * 2 ** 10
const DIGITS = 16

/** Other containers of the pod can change these files, even if they are read-only in this one. */
const SHARED_FILES: readonly string[] = ['/etc/hosts', '/etc/hostname', '/etc/resolv.conf']

const fingerprintOf = (path: string): string => {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(fd)
    const content = Buffer.alloc(Math.min(stats.size, MAX_BYTES))
    const length = readSync(fd, content, 0, content.length, 0)
    const digest = createHash('sha256').update(`${stats.size} `).update(content.subarray(0, length))
    return `${ownerAndModeOf(stats)} ${digest.digest('hex').slice(0, DIGITS)}`
  } finally {
    closeSync(fd)
  }
}

const orUndefined = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** `pid`: the main process. Undefined if it has ended. */
export const readMountedFiles = (
  pid: number,
  mounts: readonly Mount[],
): Record<string, string> | undefined => {
  const candidates = mounts.filter(
    ({ path, type, isReadOnly }) => type !== 'overlay' && (!isReadOnly || SHARED_FILES.includes(path)),
  )
  const found = candidates.flatMap(({ path, folder }): [string, string][] => {
    // Another mount may hide it.
    if (orUndefined(() => lstatSync(folder))?.isFile() !== true) return []
    const fingerprint = orUndefined(() => fingerprintOf(folder))
    return fingerprint === undefined ? [] : [[path, fingerprint]]
  })
  const isRunning = orUndefined(() => statSync(`/proc/${pid}/root`)) !== undefined
  return isRunning ? Object.fromEntries(found) : undefined
}

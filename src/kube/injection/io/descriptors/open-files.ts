/** The files that the processes of a mount namespace have open, and the folders they are in. */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

const O_PATH = 0o10000000

export interface OpenFile {
  fd: number
  /** As the kernel tells it: with ` (deleted)` behind it when it has no name any more. */
  path: string
  mountId: number
  /** Of the `open` call, and whether a new program keeps it. */
  flags: number
  position: bigint
  /** What `flock` is held on it, if any: 1 shared, 2 alone. */
  lock: 0 | 1 | 2
}

/** Nothing where the process, or the descriptor, has gone meanwhile. */
const attempt = <T>(task: () => T): T | undefined => {
  try {
    return task()
  } catch {
    return undefined
  }
}

/** All processes of this machine that see these mounts. */
export const processesIn = (mountNamespace: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => attempt(() => readlinkSync(`/proc/${pid}/ns/mnt`)) === mountNamespace)

const field = (info: string, name: string): string =>
  new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(info)?.[1] ?? '0'

const lockIn = (info: string): OpenFile['lock'] => {
  const [, kind] = /^lock:.*\bFLOCK\s+ADVISORY\s+(READ|WRITE)/m.exec(info) ?? []
  if (kind === undefined) return 0
  return kind === 'READ' ? 1 : 2
}

const openFile = (pid: number, fd: number): OpenFile | undefined =>
  attempt(() => {
    const path = readlinkSync(`/proc/${pid}/fd/${fd}`, 'latin1')
    const info = readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'latin1')
    return {
      fd,
      path,
      mountId: Number(field(info, 'mnt_id')),
      flags: Number.parseInt(field(info, 'flags'), 8),
      position: BigInt(field(info, 'pos')),
      lock: lockIn(info),
    }
  })

export const openFilesOf = (pid: number): OpenFile[] =>
  (attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? [])
    .map((name) => openFile(pid, Number(name)))
    .filter((file) => file !== undefined)

/** The folder it is in: where, and on which mount. Asks nothing of the mount itself, which may be dead. */
export const workingFolderOf = (pid: number): { path: string; mountId: number } | undefined =>
  attempt(() => {
    const path = readlinkSync(`/proc/${pid}/cwd`, 'latin1')
    const fd = openSync(`/proc/${pid}/cwd`, O_PATH)
    try {
      return { path, mountId: Number(field(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'), 'mnt_id')) }
    } finally {
      closeSync(fd)
    }
  })

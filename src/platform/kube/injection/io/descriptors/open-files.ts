/** Reads the open files and working folders of the processes of a mount namespace. */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'

const O_PATH = 0o10000000

export interface FileLock {
  /** A lock by `flock`, by `fcntl` for the process, or by `fcntl` for the open file description. */
  kind: 'FLOCK' | 'POSIX' | 'OFDLCK'
  exclusive: boolean
  start: bigint
  /** Zero means up to the end of the file. */
  length: bigint
}

export interface OpenFile {
  fd: number
  /** As in /proc: a deleted file has the suffix ` (deleted)`. */
  path: string
  mountId: number
  /** The flags of `open`, including O_CLOEXEC. */
  flags: number
  position: bigint
  locks: readonly FileLock[]
}

/** Returns undefined if the process or the descriptor no longer exists. */
const attempt = <T>(task: () => T): T | undefined => {
  try {
    return task()
  } catch {
    return undefined
  }
}

/** All processes of this machine in the mount namespace. */
export const processesIn = (mountNamespace: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => attempt(() => readlinkSync(`/proc/${pid}/ns/mnt`)) === mountNamespace)

const field = (info: string, name: string): string =>
  new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(info)?.[1] ?? '0'

const LOCK = /^lock:\s+\d+: (FLOCK|POSIX|OFDLCK)\s+ADVISORY\s+(READ|WRITE) .* (\d+) (\d+|EOF)$/gm

const locksIn = (info: string): FileLock[] =>
  [...info.matchAll(LOCK)].map(([, kind, mode, start = '0', end = 'EOF']) => ({
    kind: kind as FileLock['kind'],
    exclusive: mode === 'WRITE',
    start: BigInt(start),
    length: end === 'EOF' ? 0n : BigInt(end) - BigInt(start) + 1n,
  }))

const readOpenFile = (pid: number, fd: number): OpenFile | undefined =>
  attempt(() => {
    const path = readlinkSync(`/proc/${pid}/fd/${fd}`, 'latin1')
    const info = readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'latin1')
    return {
      fd,
      path,
      mountId: Number(field(info, 'mnt_id')),
      flags: Number.parseInt(field(info, 'flags'), 8),
      position: BigInt(field(info, 'pos')),
      locks: locksIn(info),
    }
  })

export const openFilesOf = (pid: number): OpenFile[] =>
  (attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? [])
    .map((name) => readOpenFile(pid, Number(name)))
    .filter((file) => file !== undefined)

/** Returns whether the file is a regular file or a folder. Pipes are not reopened, because that could block. */
export const isFileOrFolder = (pid: number, { fd }: OpenFile): boolean => {
  // The call fails on a mount whose server has died. The file must be reopened then as well.
  const stats = attempt(() => statSync(`/proc/${pid}/fd/${fd}`))
  return stats === undefined || stats.isFile() || stats.isDirectory()
}

/** The path and mount of the working folder. Does not access the mount, whose server may have died. */
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

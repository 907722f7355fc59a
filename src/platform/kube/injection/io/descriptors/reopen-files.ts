/** Makes stopped processes reopen their files. Shared open file descriptions stay shared if possible. */
import { constants, readFileSync, readlinkSync } from 'node:fs'
import { isSameOpenFile, type TracedProcess } from '#machine/linux'
import type { FileLock, OpenFile } from './open-files.ts'

/** A descriptor that must refer to the file at `path` instead. */
export interface Move {
  traced: TracedProcess
  file: OpenFile
  path: string
}

const AT_FDCWD = -100
const LOCK_SH = 1
const LOCK_EX = 2
const LOCK_NB = 4
const F_SETFL = 4
const F_SETLK = 6
const F_OFD_SETLK = 37
const F_RDLCK = 0
const F_WRLCK = 1
const O_CLOEXEC = 0o2000000
const { O_CREAT, O_EXCL, O_NOCTTY, O_NONBLOCK, O_TRUNC } = constants

/** Makes the descriptor refer to the file of `newFd`, and closes `newFd`. */
const replace = ({ traced: { call }, file }: Move, newFd: bigint): void => {
  call('dup3', newFd, file.fd, file.flags & O_CLOEXEC)
  call('close', newFd)
}

/** Acquires the lock again, because it is released with the old descriptor. */
const acquireLock = (
  { traced: { call }, file }: Move,
  { kind, exclusive, start, length }: FileLock,
): void => {
  if (kind === 'FLOCK') {
    call('flock', file.fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB)
    return
  }
  const range = Buffer.alloc(32)
  range.writeInt16LE(exclusive ? F_WRLCK : F_RDLCK, 0)
  range.writeBigInt64LE(start, 8)
  range.writeBigInt64LE(length, 16)
  call('fcntl', file.fd, kind === 'POSIX' ? F_SETLK : F_OFD_SETLK, range.toString('latin1'))
}

const reopen = (move: Move): boolean => {
  const { traced, file, path } = move
  const flags = file.flags & ~(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC)
  // The process must not block, regardless of the type of the file at the path.
  const newFd = traced.call('openat', AT_FDCWD, path, flags | O_NONBLOCK, 0)
  if (newFd < 0n) return false
  if ((flags & O_NONBLOCK) === 0) traced.call('fcntl', newFd, F_SETFL, flags)
  if (file.position > 0n) traced.call('lseek', newFd, file.position, 0)
  replace(move, newFd)
  for (const lock of file.locks) acquireLock(move, lock)
  return true
}

/** Returns the pid of a process inside its own pid namespace. */
const namespacedPid = (pid: number): string =>
  /^NSpid:.*\s(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? ''

const sharesPidNamespace = (a: number, b: number): boolean =>
  readlinkSync(`/proc/${a}/ns/pid`) === readlinkSync(`/proc/${b}/ns/pid`)

/** Duplicates the descriptor that `first` has reopened. Returns false if the process cannot access it. */
const duplicate = (move: Move, first: Move): boolean => {
  const { call, pid } = move.traced
  if (pid === first.traced.pid)
    return call('dup3', first.file.fd, move.file.fd, move.file.flags & O_CLOEXEC) >= 0n
  if (!sharesPidNamespace(pid, first.traced.pid)) return false
  const pidfd = call('pidfd_open', BigInt(namespacedPid(first.traced.pid)), 0)
  if (pidfd < 0n) return false
  const newFd = call('pidfd_getfd', pidfd, first.file.fd, 0)
  call('close', pidfd)
  if (newFd < 0n) return false
  replace(move, newFd)
  return true
}

const toDescriptor = ({ traced, file }: Move) => ({ pid: traced.pid, fd: file.fd })

/** Groups descriptors that share one open file description, by `dup` or `fork`. */
const groupByDescription = (moves: readonly Move[]): Move[][] => {
  const groups: Move[][] = []
  for (const move of moves) {
    const group = groups.find(
      ([first]) => first!.path === move.path && isSameOpenFile(toDescriptor(first!), toDescriptor(move)),
    )
    if (group === undefined) groups.push([move])
    else group.push(move)
  }
  return groups
}

export const reopenFiles = (moves: readonly Move[]): void => {
  for (const [first, ...others] of groupByDescription(moves)) {
    if (!reopen(first!)) continue
    // If this fails, opens the file separately, because the old descriptor is on the wrong mount.
    for (const move of others) if (!duplicate(move, first!)) reopen(move)
  }
}

/** Has stopped processes open files anew in place of those they have, and share them as they did before. */
import { constants, readFileSync, readlinkSync } from 'node:fs'
import { isSameOpening, type TracedProcess } from '../../../../linux/index.ts'
import type { FileLock, OpenFile } from './open-files.ts'

/** One descriptor that is to stand for a file at `path` from now on. */
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

/** Puts `fresh` in the place of the descriptor, and leaves no other trace. */
const replace = ({ traced: { call }, file }: Move, fresh: bigint): void => {
  call('dup3', fresh, file.fd, file.flags & O_CLOEXEC)
  call('close', fresh)
}

/** As it was held before; the old one went with the old opening. */
const takeLock = ({ traced: { call }, file }: Move, { kind, exclusive, start, length }: FileLock): void => {
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

const open = (move: Move): boolean => {
  const { traced, file, path } = move
  const flags = file.flags & ~(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC)
  // Whatever lies there by now, the process must not wait for it.
  const fresh = traced.call('openat', AT_FDCWD, path, flags | O_NONBLOCK, 0)
  if (fresh < 0n) return false
  if ((flags & O_NONBLOCK) === 0) traced.call('fcntl', fresh, F_SETFL, flags)
  if (file.position > 0n) traced.call('lseek', fresh, file.position, 0)
  replace(move, fresh)
  for (const lock of file.locks) takeLock(move, lock)
  return true
}

/** The number by which processes of its own namespace know it. */
const ownNumber = (pid: number): string =>
  /^NSpid:.*\s(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? ''

const isNeighbour = (one: number, other: number): boolean =>
  readlinkSync(`/proc/${one}/ns/pid`) === readlinkSync(`/proc/${other}/ns/pid`)

/** False where the process may not have what the first one has. */
const share = (move: Move, first: Move): boolean => {
  const { call, pid } = move.traced
  if (pid === first.traced.pid)
    return call('dup3', first.file.fd, move.file.fd, move.file.flags & O_CLOEXEC) >= 0n
  if (!isNeighbour(pid, first.traced.pid)) return false
  const handle = call('pidfd_open', BigInt(ownNumber(first.traced.pid)), 0)
  if (handle < 0n) return false
  const fresh = call('pidfd_getfd', handle, first.file.fd, 0)
  call('close', handle)
  if (fresh < 0n) return false
  replace(move, fresh)
  return true
}

const toDescriptor = ({ traced, file }: Move) => ({ pid: traced.pid, fd: file.fd })

/** Those that stand for one opening together, as `dup` and `fork` make them. */
const groupByOpening = (moves: readonly Move[]): Move[][] => {
  const groups: Move[][] = []
  for (const move of moves) {
    const group = groups.find(
      ([first]) => first!.path === move.path && isSameOpening(toDescriptor(first!), toDescriptor(move)),
    )
    if (group === undefined) groups.push([move])
    else group.push(move)
  }
  return groups
}

export const moveOpenings = (moves: readonly Move[]): void => {
  for (const [first, ...others] of groupByOpening(moves)) {
    if (!open(first!)) continue
    // Better an opening of its own than the old one.
    for (const other of others) if (!share(other, first!)) open(other)
  }
}

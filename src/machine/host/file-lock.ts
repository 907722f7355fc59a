/** File locks that the kernel releases when their holder ends. */
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import koffi from 'koffi'
import { lazily } from '#kit'

/** Loaded on first use: the single-file build of the gym has no native modules. */
const flock = lazily<(fd: number, operation: number) => number>(() =>
  koffi.load(null).func('int flock(int fd, int operation)'),
)

const LOCK_EX = 2
const LOCK_NB = 4

/** Runs the synchronous `task` while holding the lock on `path`, a file or folder. Blocks until it is free. */
export const whileLocked = <T>(path: string, task: () => T): T => {
  const fd = openSync(path, 'r')
  try {
    if (flock()(fd, LOCK_EX) < 0)
      throw new Error(`The lock on ${path} cannot be taken: errno ${koffi.errno()}.`)
    return task()
  } finally {
    closeSync(fd)
  }
}

/** Holds the lock on `path` until it is released or the process ends; undefined if another process holds it. */
export const tryLock = (path: string): { release(): void } | undefined => {
  const fd = openSync(path, 'r')
  if (flock()(fd, LOCK_EX | LOCK_NB) === 0) return { release: () => closeSync(fd) }
  const errno = koffi.errno()
  closeSync(fd)
  if (errno === constants.errno.EWOULDBLOCK) return undefined
  throw new Error(`The lock on ${path} cannot be taken: errno ${errno}.`)
}

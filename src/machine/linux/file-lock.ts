/** File locks that the kernel releases when their holder ends. */
import { closeSync, openSync } from 'node:fs'
import { checked, libc } from './libc.ts'

const LOCK_EX = 2
const LOCK_NB = 4

/** Runs the synchronous `task` while holding the lock on `path`, a file or folder. Blocks until it is free. */
export const whileLocked = <T>(path: string, task: () => T): T => {
  const fd = openSync(path, 'r')
  try {
    checked('flock', libc.flock(fd, LOCK_EX))
    return task()
  } finally {
    closeSync(fd)
  }
}

/** Holds the lock on `path` until it is released or the process ends; undefined if another process holds it. */
export const tryLock = (path: string): { release(): void } | undefined => {
  const fd = openSync(path, 'r')
  try {
    checked('flock', libc.flock(fd, LOCK_EX | LOCK_NB))
    return { release: () => closeSync(fd) }
  } catch (error) {
    closeSync(fd)
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw error
  }
}

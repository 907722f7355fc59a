/** A lock that the kernel lets go of when its holder ends, however that happens. */
import { closeSync, openSync } from 'node:fs'
import { checked, libc } from './libc.ts'

const LOCK_EX = 2

/** Runs `task` while no other process holds the lock on `path`, a file or folder. It must not wait. */
export const whileLocked = <T>(path: string, task: () => T): T => {
  const fd = openSync(path, 'r')
  try {
    checked('flock', libc.flock(fd, LOCK_EX))
    return task()
  } finally {
    closeSync(fd)
  }
}

/**
 * Makes this process a subreaper, so that it can wait for the first process of a detached container after the process
 * that started the container has exited. No shim is needed.
 */
import { createRealClock, lazily } from '#kit'
import { checked, libc } from './libc.ts'
import { createStrayReaper } from './stray-reaper.ts'

const PR_SET_CHILD_SUBREAPER = 36
const WNOHANG = 1
/** Pending SIGCHLD signals are merged, so processes may be missed until the next poll. */
const POLL_MS = 2000

export interface ProcessEnd {
  /** As in a shell: 128 + signal if a signal ended it. */
  exitCode: number
  signal?: number
}

export interface ChildReaper {
  /** Calls `onEnd` once, asynchronously. The process must be a descendant of this process whose parent has exited. */
  adopt(pid: number, onEnd: (end: ProcessEnd) => void): void
}

const toProcessEnd = (status: number): ProcessEnd => {
  const signal = status & 0x7f
  return signal === 0 ? { exitCode: (status >> 8) & 0xff } : { exitCode: 128 + signal, signal }
}

const createChildReaper = (): ChildReaper => {
  checked('prctl', libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
  const waiting = new Map<number, (end: ProcessEnd) => void>()

  const reap = (): void => {
    for (const [pid, onEnd] of waiting) {
      const status: [number] = [0]
      const result = libc.waitpid(pid, status, WNOHANG)
      if (result === 0) continue
      waiting.delete(pid)
      // If it is not a child of this process, its status is unknown, and it is reported as killed.
      onEnd(result === pid ? toProcessEnd(status[0]) : { exitCode: 137, signal: 9 })
    }
  }
  process.on('SIGCHLD', reap)
  const clock = createRealClock()
  const reapStrays = createStrayReaper((pid) => waiting.has(pid))
  let isPolling = false
  const poll = (): void => {
    reap()
    reapStrays()
    isPolling = waiting.size > 0
    if (isPolling) clock.after(POLL_MS, poll)
  }

  return {
    adopt(pid, onEnd) {
      waiting.set(pid, onEnd)
      if (!isPolling) clock.after(POLL_MS, poll)
      isPolling = true
      // It may have ended already.
      process.nextTick(reap)
    },
  }
}

/** The reaper of this process, created on first use. */
export const childReaper: () => ChildReaper = lazily(createChildReaper)

/**
 * The ends of processes that are not children of ours by birth: this process becomes the reaper of orphans
 * below it, so that a detached container's first process is ours to wait for, with no shim in between.
 */

import { createRealClock, lazily } from '../kit/index.ts'
import { checked, libc } from './libc.ts'
import { createStrayLook } from './stray-children.ts'

const PR_SET_CHILD_SUBREAPER = 36
const WNOHANG = 1
/** Signals of the same number that come together are one: who was missed is found at the next look. */
const LOOK_AGAIN_MS = 2000

export interface ProcessEnd {
  /** What a shell would say: 128 + signal where a signal ended it. */
  exitCode: number
  signal?: number
}

export interface ChildReaper {
  /** Calls back once, later, when the process has ended. It must be an orphan of this process's descendants. */
  adopt(pid: number, onEnd: (end: ProcessEnd) => void): void
}

const toEnd = (status: number): ProcessEnd => {
  const signal = status & 0x7f
  return signal === 0 ? { exitCode: (status >> 8) & 0xff } : { exitCode: 128 + signal, signal }
}

const createChildReaper = (): ChildReaper => {
  checked('prctl', libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
  const waiting = new Map<number, (end: ProcessEnd) => void>()

  const reap = (): void => {
    for (const [pid, onEnd] of waiting) {
      const status: [number] = [0]
      const answer = libc.waitpid(pid, status, WNOHANG)
      if (answer === 0) continue
      waiting.delete(pid)
      // Whoever is not ours to wait for has ended without a word: as if killed.
      onEnd(answer === pid ? toEnd(status[0]) : { exitCode: 137, signal: 9 })
    }
  }
  process.on('SIGCHLD', reap)
  const clock = createRealClock()
  const lookForStrays = createStrayLook((pid) => waiting.has(pid))
  let looking = false
  const lookAgain = (): void => {
    reap()
    lookForStrays()
    looking = waiting.size > 0
    if (looking) clock.after(LOOK_AGAIN_MS, lookAgain)
  }

  return {
    adopt(pid, onEnd) {
      waiting.set(pid, onEnd)
      if (!looking) clock.after(LOOK_AGAIN_MS, lookAgain)
      looking = true
      // It may have ended before anybody listened.
      process.nextTick(reap)
    },
  }
}

/** The one of this process, made on first use. */
export const childReaper: () => ChildReaper = lazily(createChildReaper)

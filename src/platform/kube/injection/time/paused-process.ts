/** Pauses all threads of a process while none of them executes given ranges of its code. */
import { readdirSync, readFileSync } from 'node:fs'
import { type Clock, sleep } from '#kit'

export interface CodeRange {
  readonly from: number
  readonly to: number
}

const POLL_MS = 1
const MAX_POLLS = 250
const MAX_ATTEMPTS = 40

/** Returns the state of each thread as one character; empty if the process has ended. */
const threadStates = (pid: number): readonly string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const line = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
      // The state follows the process name, which may contain parentheses.
      return line.slice(line.lastIndexOf(')') + 2, line.lastIndexOf(')') + 3)
    })
  } catch {
    return []
  }
}

/** Whether the process is a shell's job on a terminal. Its shell would react to a stop. */
export const isTerminalJob = (pid: number): boolean => {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, , , session, terminal] = line
      .slice(line.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    return terminal !== 0 && session !== pid
  } catch {
    return false
  }
}

/** A running or sleeping thread could still execute the code. A thread in an uninterruptible wait stops before that. */
const isRunnable = (state: string): boolean => state === 'R' || state === 'S'

/** The last field of the file is the instruction pointer; the kernel reports `running` if it is unknown. */
const isOutside = (pid: number, thread: string, ranges: readonly CodeRange[]): boolean => {
  const address = Number(readFileSync(`/proc/${pid}/task/${thread}/syscall`, 'utf8').trim().split(' ').at(-1))
  return Number.isFinite(address) && ranges.every(({ from, to }) => address < from || address >= to)
}

const areAllOutside = (pid: number, ranges: readonly CodeRange[]): boolean => {
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) => isOutside(pid, thread, ranges))
  } catch {
    // A thread or the whole process has ended in the meantime.
    return threadStates(pid).length === 0
  }
}

const waitUntilStopped = async (pid: number, clock: Clock): Promise<boolean> => {
  for (let step = 0; step < MAX_POLLS; step += 1) {
    if (!threadStates(pid).some(isRunnable)) return true
    await sleep(clock, POLL_MS)
  }
  return false
}

const signal = (pid: number, name: 'SIGSTOP' | 'SIGCONT'): boolean => {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/**
 * Runs the synchronous `task` while the process is stopped. Uses a signal instead of the freezer, because a frozen
 * process could not be killed if this program died. Does nothing if the process has ended.
 */
export const whilePaused = async (
  pid: number,
  ranges: readonly CodeRange[],
  clock: Clock,
  task: () => void,
): Promise<void> => {
  const wasStopped = threadStates(pid).includes('T')
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (!signal(pid, 'SIGSTOP')) return
    try {
      if ((await waitUntilStopped(pid, clock)) && areAllOutside(pid, ranges)) {
        task()
        return
      }
    } finally {
      if (!wasStopped) signal(pid, 'SIGCONT')
    }
    await sleep(clock, POLL_MS)
  }
  throw new Error(`process ${pid} cannot be paused`)
}

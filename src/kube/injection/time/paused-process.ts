/** Stops all threads of a process for a moment, none of them inside given stretches of its code. */
import { readdirSync, readFileSync } from 'node:fs'
import { type Clock, sleep } from '../../../kit/index.ts'

export interface CodeRange {
  readonly from: number
  readonly to: number
}

const STEP_MS = 1
const MOST_STEPS = 250
const MOST_TRIES = 40

/** One letter for each thread, as `ps` shows them; none when the process is gone. */
const threadStates = (pid: number): readonly string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const line = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
      // The name before it may hold anything, parentheses too.
      return line.slice(line.lastIndexOf(')') + 2, line.lastIndexOf(')') + 3)
    })
  } catch {
    return []
  }
}

/**
 * Whether a shell started it on a terminal: the shell would tell that it was stopped and take the terminal back,
 * however soon it goes on.
 */
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

/** Who runs or is about to could execute what is being written; who waits in the kernel stops before that. */
const isMoving = (state: string): boolean => state === 'R' || state === 'S'

/** The last word is where the thread goes on; `running` when the kernel does not know. */
const isAway = (pid: number, thread: string, ranges: readonly CodeRange[]): boolean => {
  const place = Number(readFileSync(`/proc/${pid}/task/${thread}/syscall`, 'utf8').trim().split(' ').at(-1))
  return Number.isFinite(place) && ranges.every(({ from, to }) => place < from || place >= to)
}

const areAllAway = (pid: number, ranges: readonly CodeRange[]): boolean => {
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) => isAway(pid, thread, ranges))
  } catch {
    // A thread has ended meanwhile, or all have.
    return threadStates(pid).length === 0
  }
}

const waitUntilStopped = async (pid: number, clock: Clock): Promise<boolean> => {
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if (!threadStates(pid).some(isMoving)) return true
    await sleep(clock, STEP_MS)
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
 * Runs `task` while the process stands still; it must not wait. A signal stops it and not the freezer: what is
 * frozen cannot even be killed if this program should end now. Does nothing when the process is gone.
 */
export const whilePaused = async (
  pid: number,
  ranges: readonly CodeRange[],
  clock: Clock,
  task: () => void,
): Promise<void> => {
  const wasStopped = threadStates(pid).includes('T')
  for (let attempt = 0; attempt < MOST_TRIES; attempt += 1) {
    if (!signal(pid, 'SIGSTOP')) return
    try {
      if ((await waitUntilStopped(pid, clock)) && areAllAway(pid, ranges)) {
        task()
        return
      }
    } finally {
      if (!wasStopped) signal(pid, 'SIGCONT')
    }
    await sleep(clock, STEP_MS)
  }
  throw new Error(`process ${pid} does not stand still`)
}

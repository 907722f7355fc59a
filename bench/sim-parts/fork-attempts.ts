/** Forks attempts at one prepared incident, one after another, and measures what a fork and an attempt cost. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { canForkOn, createPreparedIncidents } from '#lab/workers'
import type { Problem } from '#spec'
import { median } from '../measure/print-goals.ts'
import type { ForkedFigures } from './fork-program.ts'

const PROGRAM = join(import.meta.dirname, 'fork-program.ts')

/** A process that has ended is a zombie until the next order at the latest; then its parent knows its CPU time. */
const isRunning = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

export interface ForkCosts {
  readonly attempts: readonly ForkedFigures[]
  /** The CPU time of the incident's process for each fork. */
  readonly forkCpuMs: readonly number[]
  /** The CPU time of one attempt: the fork, the attempt itself, and the end of its process. */
  readonly attemptCpuMs: number
  /** From the order until the fork can work. */
  readonly startMs: readonly number[]
}

/** Undefined if forks are not possible here. */
export const forkAttempts = async (problem: Problem, count: number): Promise<ForkCosts | undefined> => {
  if (!canForkOn('sim')) return undefined
  const incidents = createPreparedIncidents({ program: PROGRAM })
  const attempts: ForkedFigures[] = []
  const startMs: number[] = []
  try {
    // The costs of a fork are known to the next one.
    while (attempts.length <= count) {
      const start = performance.now()
      const request = { problem, engine: 'sim', secret: problem.seed }
      const attempt = await incidents.fork(request, { setup: problem, onStage: () => {} })
      if (attempts.length > 0) startMs.push(performance.now() - start)
      attempts.push((await attempt.call(null)) as ForkedFigures)
      attempt.end()
      while (isRunning(attempt.pid)) await setTimeout(5)
    }
  } finally {
    await incidents.close()
  }
  const pairs = attempts.slice(1).map((next, index) => [attempts[index]!, next] as const)
  const forkCpuMs = pairs.map(([one, next]) => next.incidentCpuMs - one.incidentCpuMs)
  const [first, last] = [attempts[0]!, attempts.at(-1)!]
  const ended = (last.endedCpuMs - first.endedCpuMs) / count
  return { attempts, startMs, forkCpuMs, attemptCpuMs: ended + median(forkCpuMs) }
}

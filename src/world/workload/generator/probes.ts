/** Journey runs on request, in addition to those of the load, with separate users. */

import { runLabel } from '../journeys/run-label.ts'
import { createUser, type User } from '../journeys/user.ts'
import type { LoopContext } from './loop-context.ts'
import { createProbeSlots } from './probe-slots.ts'

/** Separates the accounts of these users from those of the load. */
const FIRST_USER_INDEX = 100_000

export interface ProbeState {
  /** The number of requests received so far. */
  readonly requests: number
  /** The number of runs that have not ended, by journey; includes runs that have not started. */
  readonly remaining: Readonly<Record<string, number>>
  /** Active runs, with their start in milliseconds since the epoch. */
  readonly pending: readonly (readonly [journey: string, startedAt: number])[]
}

export interface Probes {
  /**
   * Resolves when all runs have ended. A run starts only if fewer than `maxActive` runs, of any journey, are
   * active: more would load the machine and change the latency that they measure.
   */
  runJourney(journey: string, times: number, maxActive?: number): Promise<void>
  state(): ProbeState
  /** Later runs use new users. */
  resetUsers(): void
}

export const createProbes = (context: LoopContext): Probes => {
  const random = context.random.fork('probes')
  const slots = createProbeSlots(context.clock)
  const idleUsers: User[] = []
  const remaining = new Map<string, number>()
  const pending = new Set<readonly [string, number]>()
  let requests = 0
  let generation = 0
  let users = 0
  let runs = 0

  /** The earliest start of the next run, by journey. */
  const nextAt = new Map<string, number>()
  const waitForMinInterval = async (name: string): Promise<void> => {
    const now = context.now()
    const startAt = Math.max(now, nextAt.get(name) ?? 0)
    nextAt.set(name, startAt + context.journeys.get(name)!.minIntervalMs)
    if (startAt > now) await new Promise<void>((resolve) => context.clock.after(startAt - now, resolve))
  }

  const runJourneyOnce = async (name: string): Promise<void> => {
    const userGeneration = generation
    const user = idleUsers.pop() ?? createUser(FIRST_USER_INDEX + users++, context.now)
    const startedAt = context.now()
    const active = [name, startedAt] as const
    pending.add(active)
    await context.runJourney(context.journeys.get(name)!, user, startedAt, random.fork(runLabel(runs++)))
    pending.delete(active)
    remaining.set(name, remaining.get(name)! - 1)
    if (userGeneration === generation) idleUsers.push(user)
  }

  return {
    async runJourney(name, times, maxActive = 1) {
      requests += 1
      if (!context.journeys.has(name)) return
      remaining.set(name, (remaining.get(name) ?? 0) + times)
      const runInTurn = async (): Promise<void> => {
        await waitForMinInterval(name)
        const release = await slots.acquire(maxActive)
        if (context.isStopping()) remaining.set(name, remaining.get(name)! - 1)
        else await runJourneyOnce(name)
        release()
      }
      await Promise.all(Array.from({ length: times }, runInTurn))
    },
    state: () => ({
      requests,
      remaining: Object.fromEntries([...remaining].filter(([, count]) => count > 0)),
      pending: [...pending],
    }),
    resetUsers() {
      generation += 1
      idleUsers.length = 0
    },
  }
}

/** One user for each journey, who walks it while all is well and then again while something is wrong. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenEntryPoint, Workload } from '../../src/spec/index.ts'
import { createWalker, type Walker } from '../../src/workload/index.ts'

/** All of three walks must suffer: what is listed is sure to be felt. Whoever waits so long suffers in any case. */
const WALKS = 3
const PATIENCE_MS = 4000
/** A walk suffers where it takes as many times as long as usual, and so many milliseconds more. */
const TIMES = 3
const MORE_MS = 500
/** What is brought back needs a while until everybody has found it again. */
const HEALTHY_WITHIN_MS = 60_000
const PAUSE_MS = 250
/** What is usual is the median of so many walks. */
const REMEMBERED = 9
/** Walks a second where the load does not say, and the time in which all journeys should have begun once. */
const RATE = 4
const ROUND_S = 2

/** Resolves when it is the caller's turn: so many turns a second, in the order of asking. */
const createPace = (rate: number): (() => Promise<void>) => {
  let next = 0
  return async () => {
    const now = performance.now()
    const turn = Math.max(now, next)
    next = turn + 1000 / rate
    await sleep(turn - now)
  }
}

/** The higher of two, as judges have it; nothing is slow beside what was never walked. */
const medianOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.POSITIVE_INFINITY

export interface Fleet {
  /** Until each journey has gone well; with new users where the old ones cannot go on. */
  walkHealthy(): Promise<void>
  /** The journeys that suffer now, in the order in which they are written. */
  whoSuffers(): Promise<string[]>
  close(): void
}

export const createFleet = (workload: Workload, entryPoints: readonly OpenEntryPoint[]): Fleet => {
  const names = workload.journeys.filter(({ weight }) => weight > 0).map(({ name }) => name)
  const { brisk } = workload
  const usualRate = brisk?.loop === 'open' && 'rate' in brisk.arrivals ? brisk.arrivals.rate : RATE
  const turn = createPace(Math.max(usualRate, names.length / ROUND_S))
  const walkers = new Map<string, Walker>()
  const healthy = new Map<string, number[]>(names.map((name) => [name, []]))
  let made = 0

  const renew = (name: string): void => {
    walkers.get(name)?.close()
    made += 1
    walkers.set(name, createWalker({ workload, entryPoints, seed: `survey ${made}`, user: made }))
  }
  /** Milliseconds; endless where it failed or took too long. */
  const walk = async (name: string): Promise<number> => {
    await turn()
    const walking = walkers.get(name)!.walk(name)
    walking.catch(() => {})
    const record = await Promise.race([walking, sleep(PATIENCE_MS)])
    return record?.ok === true ? record.latencyMs : Number.POSITIVE_INFINITY
  }
  const walkUntilWell = async (name: string): Promise<number> => {
    const deadline = performance.now() + HEALTHY_WITHIN_MS
    const known = healthy.get(name)!
    for (let isNew = known.length === 0; ; ) {
      const took = await walk(name)
      if (took < Number.POSITIVE_INFINITY) {
        known.push(took)
        // The first walk of all finds everything cold.
        if (!isNew) return took
        isNew = false
        continue
      }
      if (performance.now() > deadline) {
        const { step, status, detail } = walkers.get(name)!.records.requests.at(-1) ?? {}
        throw new Error(`${name} fails while nothing is wrong, at ${step}: ${detail} (status ${status})`)
      }
      await sleep(PAUSE_MS)
      renew(name)
    }
  }
  const suffers = async (name: string): Promise<boolean> => {
    const usual = medianOf(healthy.get(name)!.slice(-REMEMBERED))
    const bound = Math.max(TIMES * usual, usual + MORE_MS)
    for (let walks = 0; walks < WALKS; walks += 1) if ((await walk(name)) <= bound) return false
    return true
  }
  for (const name of names) renew(name)
  return {
    async walkHealthy() {
      await Promise.all(names.map(walkUntilWell))
    },
    async whoSuffers() {
      const answers = await Promise.all(names.map(suffers))
      return names.filter((_, index) => answers[index])
    },
    close() {
      for (const walker of walkers.values()) walker.close()
    },
  }
}

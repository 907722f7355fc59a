/** Lets users walk journeys as a load says, for as long as asked, and never waits for the system to begin a walk. */
import { type Clock, createRandom } from '../kit/index.ts'
import type { GeneratorHealth, LoadProfile } from '../spec/index.ts'
import { runClosedLoop } from './closed-loop.ts'
import { createSurroundings, type SurroundingsOptions } from './create-surroundings.ts'
import { createLagHistogram } from './lag-histogram.ts'
import type { LoopSurroundings } from './loop-surroundings.ts'
import { runOpenLoop } from './open-loop.ts'
import type { Arrival } from './parse-arrivals.ts'
import { createProbes, type ProbeState } from './probes.ts'
import { walkWithNeeds } from './walk-with-needs.ts'

export interface GeneratorOptions extends Omit<SurroundingsOptions, 'random'> {
  /** Instead of the workload's. */
  readonly load?: LoadProfile | undefined
  /** What the file of a replay says. */
  readonly trace?: readonly Arrival[] | undefined
  readonly seed: string
  /** Nothing begins after this; endless where absent. */
  readonly durationMs?: number | undefined
  readonly clock: Clock
  /** Milliseconds of a core that this process has used. */
  cpuMs(): number
}

export interface Generator {
  health(): GeneratorHealth
  /** Walks the journey so many times from now on, a few at a time, by users of their own. Resolves when all have ended. */
  walk(journey: string, times: number, atATime?: number): Promise<void>
  /** Where the walks are that were asked for. */
  probes(): ProbeState
  /** So many times as many as the load says arrive from now on. */
  setRate(factor: number): void
  /** Everybody forgets what he carries from one journey to the next. */
  renewUsers(): void
  /** Begins nothing more. */
  stop(): void
  /** Resolves when nothing more will begin and nothing is on its way. */
  readonly ended: Promise<void>
}

export const createGenerator = (options: GeneratorOptions): Generator => {
  const { workload, clock, now } = options
  const load = options.load ?? workload.load
  const random = createRandom(options.seed)
  const around = createSurroundings({ ...options, random })
  const begin = now()
  const cpuAtBegin = options.cpuMs()
  const lag = createLagHistogram()
  const { promise: ended, resolve: tellEnded, reject: tellFailed } = Promise.withResolvers<void>()
  let dropped = 0
  let walks = 0
  let onWay = 0
  let beginsMore = true

  const settle = (): void => {
    if (onWay === 0 && !beginsMore) tellEnded()
  }
  const beginNoMore = (): void => {
    beginsMore = false
    settle()
  }
  const walk: LoopSurroundings['walk'] = async (journey, user, intended, chance) => {
    onWay += 1
    lag.add(now() - intended)
    try {
      await walkWithNeeds({ journey, user, intended, random: chance, nextNumber: () => walks++ }, around)
    } catch (error) {
      tellFailed(error)
    }
    onWay -= 1
    settle()
  }
  const loop: LoopSurroundings = {
    clock,
    now,
    begin,
    end: begin + (options.durationMs ?? Number.POSITIVE_INFINITY),
    random,
    journeys: around.journeys.byName,
    isStopping: () => !beginsMore,
    onWay: () => onWay,
    walk,
    drop() {
      dropped += 1
    },
    exhausted: beginNoMore,
  }

  const running = load.loop === 'open' ? runOpenLoop(load, options.trace, loop) : runClosedLoop(load, loop)
  const probes = createProbes(loop)

  return {
    ended,
    walk: probes.walk,
    probes: probes.state,
    setRate: running.setRate,
    renewUsers() {
      running.renewUsers()
      probes.renewUsers()
    },
    stop: beginNoMore,
    health: () => ({
      arrivals: lag.count + dropped,
      dropped,
      onTheWay: onWay,
      lagMs: { p50: lag.percentile(0.5), p99: lag.percentile(0.99), most: lag.most },
      cpu: (options.cpuMs() - cpuAtBegin) / Math.max(1, now() - begin),
    }),
  }
}

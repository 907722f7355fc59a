/** Runs journeys according to a load profile. In an open loop, starts never wait for the system. */
import { type Clock, createRandom } from '#kit'
import type { GeneratorHealth, LoadProfile } from '#spec'
import { createRunContext, type RunContextOptions } from '../journeys/create-run-context.ts'
import { runWithNeeds } from '../journeys/run-with-needs.ts'
import type { Arrival } from '../parsing/parse-arrivals.ts'
import { runClosedLoop } from './closed-loop.ts'
import { createLagHistogram } from './lag-histogram.ts'
import type { LoopContext } from './loop-context.ts'
import { runOpenLoop } from './open-loop.ts'
import { createProbes, type ProbeState } from './probes.ts'

export interface GeneratorOptions extends Omit<RunContextOptions, 'random'> {
  /** The load of the workload by default. */
  readonly load?: LoadProfile | undefined
  /** The arrivals of a replay. */
  readonly trace?: readonly Arrival[] | undefined
  readonly seed: string
  /** No journey starts after this time; unlimited by default. */
  readonly durationMs?: number | undefined
  readonly clock: Clock
  /** The CPU time of this process in milliseconds. */
  cpuMs(): number
}

export interface Generator {
  health(): GeneratorHealth
  /** Runs a journey `times` times in addition to the load, with separate users. Resolves when all runs have ended. */
  runJourney(journey: string, times: number, maxActive?: number): Promise<void>
  /** The progress of the requested runs. */
  probes(): ProbeState
  /** Multiplies the arrivals of the load profile by `factor` from now on. */
  setRate(factor: number): void
  /** Drops the sessions and cookies of all users. */
  resetUsers(): void
  /** Starts no more journeys. */
  stop(): void
  /** Resolves when no more journeys will start and none is active. */
  readonly ended: Promise<void>
}

export const createGenerator = (options: GeneratorOptions): Generator => {
  const { workload, clock, now } = options
  const load = options.load ?? workload.load
  const random = createRandom(options.seed)
  const context = createRunContext({ ...options, random })
  const begin = now()
  const cpuAtBegin = options.cpuMs()
  const lag = createLagHistogram()
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  let dropped = 0
  let runs = 0
  let active = 0
  let isStopping = false

  const settle = (): void => {
    if (active === 0 && isStopping) resolve()
  }
  const stop = (): void => {
    isStopping = true
    settle()
  }
  const runJourney: LoopContext['runJourney'] = async (journey, user, intended, runRandom) => {
    active += 1
    lag.add(now() - intended)
    try {
      await runWithNeeds({ journey, user, intended, random: runRandom, nextNumber: () => runs++ }, context)
    } catch (error) {
      reject(error)
    }
    active -= 1
    settle()
  }
  const loopContext: LoopContext = {
    clock,
    now,
    begin,
    end: begin + (options.durationMs ?? Number.POSITIVE_INFINITY),
    random,
    journeys: context.journeys.byName,
    isStopping: () => isStopping,
    active: () => active,
    runJourney,
    drop() {
      dropped += 1
    },
    onExhausted: stop,
  }

  const loop =
    load.loop === 'open' ? runOpenLoop(load, options.trace, loopContext) : runClosedLoop(load, loopContext)
  const probes = createProbes(loopContext)

  return {
    ended,
    runJourney: probes.runJourney,
    probes: probes.state,
    setRate: loop.setRate,
    resetUsers() {
      loop.resetUsers()
      probes.resetUsers()
    },
    stop,
    health: () => ({
      arrivals: lag.count + dropped,
      dropped,
      unfinished: active,
      lagMs: { p50: lag.percentile(0.5), p99: lag.percentile(0.99), max: lag.max },
      cpu: (options.cpuMs() - cpuAtBegin) / Math.max(1, now() - begin),
    }),
  }
}

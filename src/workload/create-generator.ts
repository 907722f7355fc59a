/** Lets users walk journeys as a load says, for as long as asked, and never waits for the system to begin a walk. */
import { type Clock, createRandom, type Random, sleep } from '../kit/index.ts'
import type { GeneratorHealth, LoadProfile } from '../spec/index.ts'
import { arrivalTimes } from './arrival-times.ts'
import { chooseByWeight } from './choose-by-weight.ts'
import type { CompiledJourney } from './compile-journey.ts'
import { createSurroundings, type SurroundingsOptions } from './create-surroundings.ts'
import { createLagHistogram } from './lag-histogram.ts'
import type { Arrival } from './parse-arrivals.ts'
import { createUser, type User } from './user.ts'
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
  /** Begins nothing more. */
  stop(): void
  /** Resolves when nothing more will begin and nothing is on its way. */
  readonly ended: Promise<void>
}

/** Journeys on the way at the same time, where the load does not say: more would only fill the memory. */
const DEFAULT_MOST = 5000
const DEFAULT_SESSIONS = 20

export const createGenerator = (options: GeneratorOptions): Generator => {
  const { workload, clock, now } = options
  const load = options.load ?? workload.load
  const random = createRandom(options.seed)
  const around = createSurroundings({ ...options, random })
  const { journeys } = around
  const walked = [...journeys.byName.values()].filter(({ weight }) => weight > 0)
  const begin = now()
  const end = begin + (options.durationMs ?? Number.POSITIVE_INFINITY)
  const cpuAtBegin = options.cpuMs()
  const lag = createLagHistogram()
  const { promise: ended, resolve: tellEnded, reject: tellFailed } = Promise.withResolvers<void>()
  let dropped = 0
  let walks = 0
  let onWay = 0
  let stopping = false
  let hasMore = true

  const settle = (): void => {
    if (onWay === 0 && (stopping || !hasMore)) tellEnded()
  }

  const walk = async (
    journey: CompiledJourney,
    user: User,
    intended: number,
    chance: Random,
  ): Promise<void> => {
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

  const runOpen = (profile: LoadProfile & { loop: 'open' }): void => {
    const arrivals = arrivalTimes(profile.arrivals, random.fork('arrivals'), options.trace)
    const choice = random.fork('choice')
    const sessions = Array.from({ length: profile.users ?? DEFAULT_SESSIONS }, (_, index) =>
      createUser(index, now),
    )
    const most = profile.most ?? DEFAULT_MOST
    let index = 0
    let next = arrivals.next().value as Arrival | undefined

    const arrive = ({ ms, journey: name }: Arrival): void => {
      const chosen = chooseByWeight(walked, choice)
      const journey = name === undefined ? chosen : journeys.byName.get(name)!
      const user = sessions[index % sessions.length]!
      if (onWay >= most) dropped += 1
      else void walk(journey, user, begin + ms, random.fork(`walk ${index}`))
      index += 1
    }
    const pump = (): void => {
      if (stopping) return
      while (next !== undefined && begin + next.ms < end && begin + next.ms <= now()) {
        arrive(next)
        next = arrivals.next().value as Arrival | undefined
      }
      hasMore = next !== undefined && begin + next.ms < end
      if (!hasMore) {
        settle()
        return
      }
      clock.after(Math.max(1, Math.floor(begin + next!.ms - now())), pump)
    }
    pump()
  }

  const runClosed = (profile: LoadProfile & { loop: 'closed' }): void => {
    const { users, thinkMs, startOverMs = thinkMs.most } = profile
    let living = users

    const live = async (index: number): Promise<void> => {
      const user = createUser(index, now)
      const chance = random.fork(`user ${index}`)
      let due = begin + (startOverMs * index) / users
      for (let turn = 0; due < end; turn += 1) {
        await sleep(clock, Math.ceil(Math.max(0, due - now())))
        if (stopping) break
        await walk(chooseByWeight(walked, chance), user, due, chance.fork(`walk ${turn}`))
        due = now() + thinkMs.least + chance.next() * (thinkMs.most - thinkMs.least)
      }
      living -= 1
      hasMore = living > 0
      settle()
    }
    for (let index = 0; index < users; index += 1) void live(index)
  }

  if (load.loop === 'open') runOpen(load)
  else runClosed(load)

  return {
    ended,
    stop() {
      stopping = true
      settle()
    },
    health: () => ({
      arrivals: lag.count + dropped,
      dropped,
      lagMs: { p50: lag.percentile(0.5), p99: lag.percentile(0.99), most: lag.most },
      cpu: (options.cpuMs() - cpuAtBegin) / Math.max(1, now() - begin),
    }),
  }
}

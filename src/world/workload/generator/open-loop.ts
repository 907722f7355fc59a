/** An open loop: journeys start at the times of the arrival pattern, whether or not the system keeps up. */
import type { Timer } from '#kit'
import type { LoadProfile } from '#spec'
import type { CompiledJourney } from '../journeys/compile-journeys.ts'
import { runLabel } from '../journeys/run-label.ts'
import { createUser, type User } from '../journeys/user.ts'
import type { Arrival } from '../parsing/parse-arrivals.ts'
import { arrivalTimes } from './arrival-times.ts'
import { chooseByWeight } from './choose-by-weight.ts'
import { type Loop, type LoopContext, listWeightedJourneys } from './loop-context.ts'
import { createPace } from './pace.ts'

/** Limits the memory that concurrent journeys use if the system does not answer. */
const DEFAULT_MAX_ACTIVE = 5000
const DEFAULT_USERS = 20

/** `trace` contains the arrivals of a replay. */
export const runOpenLoop = (
  {
    arrivals: pattern,
    users = DEFAULT_USERS,
    maxConcurrent = DEFAULT_MAX_ACTIVE,
  }: LoadProfile & { loop: 'open' },
  trace: readonly Arrival[] | undefined,
  context: LoopContext,
): Loop => {
  const { clock, now, begin, end, random } = context
  const arrivals = arrivalTimes(pattern, random.fork('arrivals'), trace)
  const journeyRandom = random.fork('choice')
  const choices = listWeightedJourneys(context)
  const createUsers = () => Array.from({ length: users }, (_, index) => createUser(index, now))
  let pool = createUsers()
  let pace = createPace(begin)
  let maxActive = maxConcurrent
  let timer: Timer | undefined
  let index = 0
  let next = arrivals.next().value as Arrival | undefined

  // Concurrent journeys of one user would interfere: one could cancel the booking of the other.
  const busyUsers = new Set<User>()
  const nextUser = (): User => {
    const first = index % users
    const isFree = (user: User): boolean => !busyUsers.has(user)
    return pool.slice(first).find(isFree) ?? pool.find(isFree) ?? pool[first]!
  }
  const start = async (journey: CompiledJourney, intended: number): Promise<void> => {
    const user = nextUser()
    busyUsers.add(user)
    await context.runJourney(journey, user, intended, random.fork(runLabel(index)))
    busyUsers.delete(user)
  }

  const arrive = ({ ms, journey: name }: Arrival): void => {
    // Drawn for every arrival, so that later choices do not depend on the behaviour of the system.
    const chosen = chooseByWeight(choices, journeyRandom)
    const journey = name === undefined ? chosen : context.journeys.get(name)!
    if (context.active() >= maxActive) context.drop()
    else void start(journey, pace.timeOf(ms))
    index += 1
  }

  const startDueJourneys = (): void => {
    if (context.isStopping()) return
    while (next !== undefined && pace.timeOf(next.ms) < end) {
      const waitMs = pace.timeOf(next.ms) - now()
      if (waitMs > 0) {
        timer = clock.after(Math.max(1, Math.floor(waitMs)), startDueJourneys)
        return
      }
      arrive(next)
      next = arrivals.next().value as Arrival | undefined
    }
    context.onExhausted()
  }
  startDueJourneys()

  return {
    setRate(factor) {
      pace = pace.withFactor(factor, now())
      maxActive = Math.ceil(maxConcurrent * Math.max(1, factor))
      timer?.cancel()
      startDueJourneys()
    },
    resetUsers() {
      pool = createUsers()
    },
  }
}

/** Journeys that begin when a pattern says so, whether or not the system keeps up. */
import type { Timer } from '../kit/index.ts'
import type { LoadProfile } from '../spec/index.ts'
import { arrivalTimes } from './arrival-times.ts'
import { chooseByWeight } from './choose-by-weight.ts'
import type { CompiledJourney } from './compile-journey.ts'
import { type Loop, type LoopSurroundings, walkedByWeight } from './loop-surroundings.ts'
import { createPace } from './pace.ts'
import type { Arrival } from './parse-arrivals.ts'
import { createUser, type User } from './user.ts'

/** Journeys on the way at the same time, where the load does not say: more would only fill the memory. */
const DEFAULT_MOST = 5000
const DEFAULT_SESSIONS = 20

/** `trace` is what the file of a replay says. */
export const runOpenLoop = (
  { arrivals: pattern, users = DEFAULT_SESSIONS, most = DEFAULT_MOST }: LoadProfile & { loop: 'open' },
  trace: readonly Arrival[] | undefined,
  around: LoopSurroundings,
): Loop => {
  const { clock, now, begin, end, random } = around
  const arrivals = arrivalTimes(pattern, random.fork('arrivals'), trace)
  const choice = random.fork('choice')
  const choices = walkedByWeight(around)
  const newSessions = () => Array.from({ length: users }, (_, index) => createUser(index, now))
  let sessions = newSessions()
  let pace = createPace(begin)
  let room = most
  let waiting: Timer | undefined
  let index = 0
  let next = arrivals.next().value as Arrival | undefined

  /** Nobody does two things at once as long as somebody else is free: what one books the other would cancel. */
  const busy = new Set<User>()
  const nextUser = (): User => {
    const first = index % users
    const isFree = (user: User): boolean => !busy.has(user)
    return sessions.slice(first).find(isFree) ?? sessions.find(isFree) ?? sessions[first]!
  }
  const walk = async (journey: CompiledJourney, intended: number): Promise<void> => {
    const user = nextUser()
    busy.add(user)
    await around.walk(journey, user, intended, random.fork(`walk ${index}`))
    busy.delete(user)
  }

  const arrive = ({ ms, journey: name }: Arrival): void => {
    // Drawn in any case: which journeys come later must not depend on how the system fares.
    const chosen = chooseByWeight(choices, choice)
    const journey = name === undefined ? chosen : around.journeys.get(name)!
    if (around.onWay() >= room) around.drop()
    else void walk(journey, pace.timeOf(ms))
    index += 1
  }

  const pump = (): void => {
    if (around.isStopping()) return
    while (next !== undefined && pace.timeOf(next.ms) < end) {
      const wait = pace.timeOf(next.ms) - now()
      if (wait > 0) {
        waiting = clock.after(Math.max(1, Math.floor(wait)), pump)
        return
      }
      arrive(next)
      next = arrivals.next().value as Arrival | undefined
    }
    around.exhausted()
  }
  pump()

  return {
    setRate(factor) {
      pace = pace.changed(factor, now())
      // A crowd also waits in a longer queue.
      room = Math.ceil(most * Math.max(1, factor))
      waiting?.cancel()
      pump()
    },
    renewUsers() {
      sessions = newSessions()
    },
  }
}

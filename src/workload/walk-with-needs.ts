/** Walks a journey, after those it needs that the user has not walked yet. */
import type { Random } from '../kit/index.ts'
import type { CompiledJourney } from './compile-journey.ts'
import type { User } from './user.ts'
import { type WalkSurroundings, walkJourney } from './walk-journey.ts'

export interface WalkWithNeeds {
  readonly journey: CompiledJourney
  readonly user: User
  readonly intended: number
  /** What the walk draws from, and those it needs draw from forks of. */
  readonly random: Random
  /** Numbers walks in the order in which they begin. */
  nextNumber(): number
}

/** Gives the name of a needed journey that failed. */
const prepare = async (wanted: WalkWithNeeds, around: WalkSurroundings): Promise<string | undefined> => {
  const { journey, user, random } = wanted
  for (const need of journey.needs) {
    let walking = user.prepared.get(need)
    if (walking === undefined) {
      const needed = { ...wanted, journey: around.journeys.byName.get(need)!, random: random.fork(need) }
      walking = walkWithNeeds(needed, around)
      user.prepared.set(need, walking)
    }
    if (await walking) continue
    if (user.prepared.get(need) === walking) user.prepared.delete(need)
    return need
  }
  return undefined
}

/**
 * Whether it succeeded. A need is walked at the time that was meant for the journey, which then begins when the need
 * has been met; where it is not met, the journey counts as failed.
 */
export const walkWithNeeds = async (wanted: WalkWithNeeds, around: WalkSurroundings): Promise<boolean> => {
  const { journey, user, random } = wanted
  const mustPrepare = journey.needs.some((need) => !user.prepared.has(need))
  const started = around.now()
  const failed = journey.needs.length === 0 ? undefined : await prepare(wanted, around)
  const number = wanted.nextNumber()
  const intended = mustPrepare ? around.now() : wanted.intended
  if (failed === undefined) return (await walkJourney({ journey, user, random, number, intended }, around)).ok
  around.onJourney({
    journey: journey.name,
    walk: number,
    intended: wanted.intended,
    started,
    latencyMs: around.now() - wanted.intended,
    ok: false,
    failedAt: failed,
  })
  return false
}

/** Runs a journey. First runs the journeys that it needs, unless the user has already run them. */
import type { Random } from '#kit'
import type { CompiledJourney } from './compile-journeys.ts'
import { type RunContext, runJourney } from './run-journey.ts'
import type { User } from './user.ts'

export interface RequestedRun {
  readonly journey: CompiledJourney
  readonly user: User
  readonly intended: number
  /** The random values of this run; needed journeys draw from its forks. */
  readonly random: Random
  /** Returns the number of the next run. Runs are numbered in the order in which they start. */
  nextNumber(): number
}

/** Returns the name of the first needed journey that failed. */
const runNeeds = async (requested: RequestedRun, context: RunContext): Promise<string | undefined> => {
  const { journey, user, random } = requested
  for (const need of journey.needs) {
    let preparation = user.prepared.get(need)
    if (preparation === undefined) {
      const needed = { ...requested, journey: context.journeys.byName.get(need)!, random: random.fork(need) }
      preparation = runWithNeeds(needed, context)
      user.prepared.set(need, preparation)
    }
    if (await preparation) continue
    if (user.prepared.get(need) === preparation) user.prepared.delete(need)
    return need
  }
  return undefined
}

/**
 * Resolves to true if the run succeeded. Needed journeys are due at the intended time of the run; the journey
 * itself is due when they have ended. If one of them fails, the run counts as failed.
 */
export const runWithNeeds = async (requested: RequestedRun, context: RunContext): Promise<boolean> => {
  const { journey, user, random } = requested
  const mustPrepare = journey.needs.some((need) => !user.prepared.has(need))
  const started = context.now()
  const failed = journey.needs.length === 0 ? undefined : await runNeeds(requested, context)
  const number = requested.nextNumber()
  const intended = mustPrepare ? context.now() : requested.intended
  if (failed === undefined) return (await runJourney({ journey, user, random, number, intended }, context)).ok
  context.onJourney({
    journey: journey.name,
    run: number,
    intended: requested.intended,
    started,
    latencyMs: context.now() - requested.intended,
    ok: false,
    failedAt: failed,
  })
  return false
}

/** Draws some attempts of a plan, of as many different faults as possible. */
import { createRandom, shuffle } from '#kit'
import type { Problem } from '#spec'
import type { SuitePlan } from './attempt.ts'

const faultsOf = ({ faults }: Problem): string => faults.map(({ fault }) => fault).join(' + ')

/** The same seed draws the same attempts. Keeps the order of the plan. */
export const drawSample = (plan: SuitePlan, { count, seed }: { count: number; seed: string }): SuitePlan => {
  const all = plan.flatMap(({ problem, attempts }) => attempts.map((attempt) => ({ problem, attempt })))
  const drawnOf = new Map<string, number>()
  const ranked = shuffle(all, createRandom(`${seed}/sample`)).map((one) => {
    const faults = faultsOf(one.problem)
    const rank = drawnOf.get(faults) ?? 0
    drawnOf.set(faults, rank + 1)
    return { ...one, rank }
  })
  const drawn = ranked.toSorted((one, other) => one.rank - other.rank).slice(0, count)
  const chosen = new Set(drawn.map(({ attempt }) => attempt))
  return plan
    .map(({ problem, attempts }) => ({ problem, attempts: attempts.filter((one) => chosen.has(one)) }))
    .filter(({ attempts }) => attempts.length > 0)
}

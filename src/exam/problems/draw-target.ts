/** Draws the target of a fault. Over successive turns, each target is used once before any is repeated. */
import { type Random, shuffle } from '#kit'
import type { Fault, FaultTarget, SystemView } from '#spec'
import { toMisfitError } from './explain-misfit.ts'
import { listImpactTargets } from './list-impact-targets.ts'

/** The callers and upstreams of a service. */
const neighboursOf = (system: SystemView, service: string): ReadonlySet<string> =>
  new Set(
    system.edges
      .filter(({ from, to }) => from === service || to === service)
      .map(({ from, to }) => (from === service ? to : from)),
  )

export interface TargetOptions {
  /** Restricts targets to this service. */
  readonly service?: string | undefined
  /** Services of other faults, which are excluded. */
  readonly taken: readonly string[]
  /** Prefers callers and upstreams of this service. */
  readonly near?: string | undefined
  readonly turn: number
}

export const drawTarget = (
  fault: Fault,
  system: SystemView,
  random: Random,
  { service, taken, near, turn }: TargetOptions,
): FaultTarget => {
  const freeTargets = listImpactTargets(fault, system).filter((target) => !taken.includes(target.service))
  const eligible =
    service === undefined ? freeTargets : freeTargets.filter((target) => target.service === service)
  if (eligible.length === 0) throw toMisfitError(fault, system, { service, taken })
  const neighbours = near === undefined ? new Set() : neighboursOf(system, near)
  const nearby = eligible.filter((target) => neighbours.has(target.service))
  const shuffled = shuffle(nearby.length > 0 ? nearby : eligible, random)
  return shuffled[turn % shuffled.length]!
}

/** Deals the targets of faults as cards are dealt: each comes once before any comes again. */
import type { Random } from '../kit/index.ts'
import { type Fault, type FaultTarget, RemediumError, type SystemView } from '../spec/index.ts'
import { canonicalJson } from './canonical-json.ts'
import { shuffle } from './shuffle.ts'

/** The services that it is about: the one that is hit, those that the target names besides, those that a fix may touch. */
const concerned = (fault: Fault, system: SystemView, target: FaultTarget): string[] => {
  const params = Object.fromEntries(
    Object.entries(fault.parameters).map(([name, declared]) => [name, declared.default]),
  )
  return [...Object.values(target).map(String), ...(fault.scope?.({ system, target, params }).services ?? [])]
}

/** Where users feel it, in an order that depends on nothing but the targets. */
export const feltTargets = (fault: Fault, system: SystemView): FaultTarget[] => {
  const isFelt = (target: FaultTarget): boolean =>
    concerned(fault, system, target).some((service) => {
      const { down, slow } = system.impactOf(service)
      return down.length > 0 || slow.length > 0
    })
  return fault
    .targets(system)
    .filter(isFelt)
    .map((target) => ({ target, key: canonicalJson(target) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ target }) => target)
}

/** Those services that call one, and those it calls. */
const neighboursOf = (system: SystemView, service: string): ReadonlySet<string> =>
  new Set(
    system.edges
      .filter(({ from, to }) => from === service || to === service)
      .map(({ from, to }) => (from === service ? to : from)),
  )

export interface TargetWish {
  /** Only of this service. */
  readonly service?: string | undefined
  /** None that another fault has. */
  readonly taken: readonly string[]
  /** Rather of a service that calls this one or is called by it. */
  readonly near?: string | undefined
  readonly turn: number
}

export const drawTarget = (
  fault: Fault,
  system: SystemView,
  random: Random,
  { service, taken, near, turn }: TargetWish,
): FaultTarget => {
  const free = feltTargets(fault, system).filter((target) => !taken.includes(target.service))
  const wanted = service === undefined ? free : free.filter((target) => target.service === service)
  if (wanted.length === 0) {
    const where = service === undefined ? `no ${taken.length > 0 ? 'other ' : ''}service` : `not ${service}`
    throw new RemediumError('bad-argument', `the fault ${fault.name} fits ${where} of ${system.name}`, {
      hint: 'A fault fits where its mechanism can act and users would feel it.',
    })
  }
  const neighbours = near === undefined ? new Set() : neighboursOf(system, near)
  const close = wanted.filter((target) => neighbours.has(target.service))
  const cards = shuffle(close.length > 0 ? close : wanted, random)
  return cards[turn % cards.length]!
}

/** Where trouble begins: failing and slow calls are followed down to those that no call further down explains. */
import { type Call, hasCeased, isFailing, slowdownOf } from './traffic.ts'

export interface Root {
  readonly service: string
  /** How much of what is seen it would explain. */
  readonly weight: number
  /** Calls to and from it that nothing further down explains. */
  readonly calls: readonly Call[]
  readonly isFailing: boolean
}

/** Of a slow call, the part that must be its own. */
const OWN_SHARE = 0.3

const from = (calls: readonly Call[], service: string): readonly Call[] =>
  calls.filter((call) => call.from === service)

/** Milliseconds that no call of the called one explains. */
const ownSlowdown = (calls: readonly Call[], call: Call): number => {
  const slowdown = slowdownOf(call)
  const below = Math.max(0, ...from(calls, call.to).map(slowdownOf))
  return slowdown - below > OWN_SHARE * slowdown ? slowdown - below : 0
}

const isOwnFailure = (calls: readonly Call[], call: Call): boolean =>
  isFailing(call) && !from(calls, call.to).some(isFailing)

/** Whether others reach whom this caller does not. */
const isOnlyFor = (calls: readonly Call[], call: Call): boolean => {
  const others = calls.filter(
    ({ to, from: caller, now }) => to === call.to && caller !== call.from && now.count > 0,
  )
  return others.length > 0 && !others.some(isFailing)
}

/** A caller is as likely to be sick as two of those it calls. */
const CALLER_SHARE = 0.5

/** Calls whose trouble begins between the two, or in the called one. */
export const ownTroubles = (calls: readonly Call[]): readonly Call[] =>
  calls.filter((call) => isOwnFailure(calls, call) || ownSlowdown(calls, call) > 0)

/** The likeliest first. */
export const rankRoots = (calls: readonly Call[]): readonly Root[] => {
  const weights = new Map<string, number>()
  const add = (service: string, weight: number): void => {
    weights.set(service, (weights.get(service) ?? 0) + weight)
  }
  const own = ownTroubles(calls)
  for (const call of own) {
    const isCallers = isOwnFailure(calls, call) && isOnlyFor(calls, call)
    add(call.to, isCallers ? CALLER_SHARE : 1)
    add(call.from, isCallers ? 1 : CALLER_SHARE)
  }
  // Nobody gets as far as calling those behind one that is gone.
  for (const call of calls.filter(hasCeased)) if (own.length === 0) add(call.from, CALLER_SHARE)
  return [...weights]
    .map(([service, weight]) => {
      const around = own.filter((call) => call.from === service || call.to === service)
      return { service, weight, calls: around, isFailing: around.some(isFailing) }
    })
    .sort((one, other) => other.weight - one.weight)
}

/** Those who call others, and whom nobody calls: users come in there. */
export const entriesOf = (calls: readonly Call[]): readonly string[] => {
  const called = new Set(calls.map(({ to }) => to))
  return [...new Set(calls.map((call) => call.from))].filter((service) => !called.has(service))
}

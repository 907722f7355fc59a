/** Finds the services where problems originate: failing and slow calls that no call further downstream explains. */
import { type Call, hasCeased, isFailing, slowdownOf } from './traffic.ts'

export interface Root {
  readonly service: string
  /** How many of the symptoms it explains. */
  readonly weight: number
  /** The calls to and from it that no call further downstream explains. */
  readonly calls: readonly Call[]
  readonly isFailing: boolean
}

/** The minimum share of a slowdown that calls further downstream do not explain. */
const MIN_OWN_SHARE = 0.3

const callsFrom = (calls: readonly Call[], service: string): readonly Call[] =>
  calls.filter((call) => call.from === service)

/** The part of a slowdown in milliseconds that the calls of the callee do not explain; 0 if it is a small share. */
const ownSlowdownOf = (calls: readonly Call[], call: Call): number => {
  const slowdown = slowdownOf(call)
  const downstreamSlowdown = Math.max(0, ...callsFrom(calls, call.to).map(slowdownOf))
  return slowdown - downstreamSlowdown > MIN_OWN_SHARE * slowdown ? slowdown - downstreamSlowdown : 0
}

const isOwnFailure = (calls: readonly Call[], call: Call): boolean =>
  isFailing(call) && !callsFrom(calls, call.to).some(isFailing)

/** Whether the callee has other callers, and answers all of them without errors. */
const failsOnlyForCaller = (calls: readonly Call[], call: Call): boolean => {
  const otherCalls = calls.filter(
    ({ to, from: caller, now }) => to === call.to && caller !== call.from && now.count > 0,
  )
  return otherCalls.length > 0 && !otherCalls.some(isFailing)
}

/** The weight of the less likely end of a call: the caller, unless the call fails only for this caller. */
const SECONDARY_WEIGHT = 0.5

/** Returns the calls whose problem originates in the callee or in the connection to it. */
export const findRootCalls = (calls: readonly Call[]): readonly Call[] =>
  calls.filter((call) => isOwnFailure(calls, call) || ownSlowdownOf(calls, call) > 0)

/** Ranks the services by weight. */
export const rankRoots = (calls: readonly Call[]): readonly Root[] => {
  const weights = new Map<string, number>()
  const addWeight = (service: string, weight: number): void => {
    weights.set(service, (weights.get(service) ?? 0) + weight)
  }
  const rootCalls = findRootCalls(calls)
  for (const call of rootCalls) {
    const isCallerAtFault = isOwnFailure(calls, call) && failsOnlyForCaller(calls, call)
    addWeight(call.to, isCallerAtFault ? SECONDARY_WEIGHT : 1)
    addWeight(call.from, isCallerAtFault ? 1 : SECONDARY_WEIGHT)
  }
  // Services behind an unavailable one are no longer called.
  for (const call of calls.filter(hasCeased))
    if (rootCalls.length === 0) addWeight(call.from, SECONDARY_WEIGHT)
  return [...weights]
    .map(([service, weight]) => {
      const adjacentCalls = rootCalls.filter((call) => call.from === service || call.to === service)
      return { service, weight, calls: adjacentCalls, isFailing: adjacentCalls.some(isFailing) }
    })
    .sort((a, b) => b.weight - a.weight)
}

/** Lists the services that call others and are not called: users enter there. */
export const listEntryServices = (calls: readonly Call[]): readonly string[] => {
  const called = new Set(calls.map(({ to }) => to))
  return [...new Set(calls.map((call) => call.from))].filter((service) => !called.has(service))
}

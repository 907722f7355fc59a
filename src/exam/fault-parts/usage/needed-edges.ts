/** Finds calls between workloads that journeys need and whose failure is not tolerated. */
import { liveEdges } from '#exam/effects'
import type { Edge, Step, SystemView, Upstream } from '#spec'
import { calleeOf, innerSteps, isRequiredCall, isRequiredStep } from './required-calls.ts'

const needsUpstream = (step: Step, upstream: string): boolean =>
  isRequiredStep(step) &&
  (calleeOf(step) === upstream || innerSteps(step).some((inner) => needsUpstream(inner, upstream)))

/** Whether a journey needs the call, or the caller needs it at its start. */
const isNeeded = (system: SystemView, edge: Edge): boolean => {
  const { start = [] } = system.topology?.services[edge.from]?.behaviour ?? {}
  return isRequiredCall(system, edge) || start.some((step) => needsUpstream(step, edge.to))
}

const upstreamOf = ({ topology }: SystemView, { from, to }: Edge): Upstream | undefined =>
  topology?.services[from]?.behaviour.upstreams?.[to]

/** Whether the caller resolves its upstream through DNS, not through a registry. */
export const isResolvedByDns = (system: SystemView, edge: Edge): boolean =>
  upstreamOf(system, edge)?.registry === undefined

/** Journeys that need both the caller and its upstream. */
const sharedJourneys = (system: SystemView, { from, to }: Edge): readonly string[] => {
  const ofUpstream = system.impactOf(to).down
  return system.impactOf(from).down.filter((journey) => ofUpstream.includes(journey))
}

/** Edges that journeys need, in the order of the system's edges. */
export const neededEdges = (system: SystemView): readonly Edge[] =>
  liveEdges(system).filter((edge) => isNeeded(system, edge) && sharedJourneys(system, edge).length > 0)

const callersIn = (edges: readonly Edge[], service: string): readonly string[] => [
  ...new Set(edges.filter(({ to }) => to === service).map(({ from }) => from)),
]

/** The callers of a service, except those whose calls are never used. */
export const liveCallers = (system: SystemView, service: string): readonly string[] =>
  callersIn(liveEdges(system), service)

/** The callers of a service that need it. */
export const dependentCallers = (system: SystemView, service: string): readonly string[] =>
  callersIn(neededEdges(system), service)

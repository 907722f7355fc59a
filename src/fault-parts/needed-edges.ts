/** Calls that users cannot do without: between workloads, made for a journey, and not forgiven when they fail. */
import type { Edge, Step, SystemView, Upstream } from '../spec/index.ts'
import { calledBy, innerSteps, isCalledFor, isCertain } from './asked-for.ts'

const needs = (step: Step, upstream: string): boolean =>
  isCertain(step) && (calledBy(step) === upstream || innerSteps(step).some((inner) => needs(inner, upstream)))

/** By users, or by the caller when it starts. */
const isNeeded = (system: SystemView, edge: Edge): boolean => {
  const { start = [] } = system.topology?.services[edge.from]?.behaviour ?? {}
  return isCalledFor(system, edge) || start.some((step) => needs(step, edge.to))
}

const upstreamOf = ({ topology }: SystemView, { from, to }: Edge): Upstream | undefined =>
  topology?.services[from]?.behaviour.upstreams?.[to]

/** Whether the caller finds the called one by a name of DNS, and not in a registry. */
export const isByName = (system: SystemView, edge: Edge): boolean =>
  upstreamOf(system, edge)?.registry === undefined

/** Journeys that fail without the caller and without the called one. */
const sharedJourneys = (system: SystemView, { from, to }: Edge): readonly string[] => {
  const ofCalled = system.impactOf(to).down
  return system.impactOf(from).down.filter((journey) => ofCalled.includes(journey))
}

/** Between workloads, and ever used. */
export const liveEdges = (system: SystemView): readonly Edge[] => {
  const services = new Set(system.workloads.map(({ service }) => service))
  return system.edges.filter(
    (edge) => services.has(edge.from) && services.has(edge.to) && upstreamOf(system, edge)?.dead !== true,
  )
}

/** In the order of the system's edges. */
export const neededEdges = (system: SystemView): readonly Edge[] =>
  liveEdges(system).filter((edge) => isNeeded(system, edge) && sharedJourneys(system, edge).length > 0)

const callersIn = (edges: readonly Edge[], service: string): readonly string[] => [
  ...new Set(edges.filter(({ to }) => to === service).map(({ from }) => from)),
]

/** Those who call a service, also where users can do without for a while. */
export const liveCallers = (system: SystemView, service: string): readonly string[] =>
  callersIn(liveEdges(system), service)

/** Those who call a service and cannot do without. */
export const neededCallers = (system: SystemView, service: string): readonly string[] =>
  callersIn(neededEdges(system), service)

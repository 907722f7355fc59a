/** Calls that users cannot do without: between workloads, made for a journey, and not forgiven when they fail. */
import type { Edge, Step, SystemView, Upstream } from '../spec/index.ts'
import { isCalledFor } from './asked-for.ts'

/** What a step says of whom it calls, itself or through the steps inside. */
interface Calling {
  readonly call?: string
  readonly query?: string
  readonly proxy?: string
  readonly when?: string
  readonly critical?: boolean
  readonly do?: readonly Step[]
  readonly parallel?: readonly Step[]
}

const needs = (step: Calling, upstream: string): boolean => {
  if (step.when !== undefined || step.critical === false) return false
  const called = (step.call ?? step.query ?? step.proxy)?.split(' ')[0]
  if (called === upstream) return true
  return [...(step.do ?? []), ...(step.parallel ?? [])].some((inner) => needs(inner as Calling, upstream))
}

/** By users, or by the caller when it starts. */
const isNeeded = (system: SystemView, edge: Edge): boolean => {
  const behaviour = system.topology?.services[edge.from]?.behaviour
  if (behaviour === undefined) return true
  return isCalledFor(system, edge) || (behaviour.start ?? []).some((step) => needs(step as Calling, edge.to))
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

/** The edges between the services of a topology: calls, look-ups, registrations and messages. */
import type { Edge, Topology } from '#spec'
import { callSitesOf } from './call-sites.ts'

export interface CallEdge extends Edge {
  readonly operation: string
  /** Where the call is made: an endpoint, a queue, a background task or `start`. */
  readonly endpoint: string
  /** Whether a failed call fails the endpoint. */
  readonly critical: boolean
}

const toDistinctSorted = (edges: readonly Edge[]): Edge[] => {
  const byKey = new Map(edges.map(({ from, to }) => [`${from} ${to}`, { from, to }]))
  return [...byKey.values()].sort((a, b) => (`${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1))
}

/** The edges from publishers to consumers of a queue. */
const queueEdges = ({ services }: Topology): Edge[] => {
  const consumers = Object.entries(services).flatMap(([to, { behaviour }]) =>
    Object.entries(behaviour.consumes ?? {}).map(([queue, { from }]) => ({ to, queue, broker: from })),
  )
  return Object.entries(services).flatMap(([from, { behaviour }]) =>
    callSitesOf(behaviour).flatMap(({ step, to: broker }) => {
      const queue = 'query' in step ? step.publish?.queue : undefined
      return consumers
        .filter((consumer) => consumer.queue === queue && consumer.broker === broker)
        .map(({ to }) => ({ from, to }))
    }),
  )
}

/** The edges that carry requests in normal operation, sorted. */
export const liveEdges = (topology: Topology): Edge[] => {
  const direct = Object.entries(topology.services).flatMap(([from, { behaviour }]) => {
    const upstreams = new Set(callSitesOf(behaviour).map(({ to }) => to))
    const registries = [...upstreams].map((to) => behaviour.upstreams?.[to]?.registry)
    const brokers = Object.values(behaviour.consumes ?? {}).map((queue) => queue.from)
    return [...upstreams, ...registries, ...brokers, behaviour.register?.in]
      .filter((to) => to !== undefined)
      .map((to) => ({ from, to }))
  })
  return toDistinctSorted([...direct, ...queueEdges(topology)])
}

/** Every call of one service to another, critical or not. */
export const callEdges = (topology: Topology): CallEdge[] =>
  Object.entries(topology.services).flatMap(([from, { behaviour }]) =>
    callSitesOf(behaviour).map(({ to, operation, endpoint, critical }) => ({
      from,
      to,
      operation,
      endpoint,
      critical,
    })),
  )

/** Who calls whom in a topology, and what that is worth to the caller. */
import type { Edge, Topology } from '../spec/index.ts'
import { callSitesOf } from './call-sites.ts'

export interface CallEdge extends Edge {
  readonly operation: string
  /** Of the caller: an endpoint, a queue, `start`. */
  readonly endpoint: string
  /** Whether a failure of the call is one of the endpoint. */
  readonly critical: boolean
}

const distinct = (edges: readonly Edge[]): Edge[] => {
  const known = new Map(edges.map(({ from, to }) => [`${from} ${to}`, { from, to }]))
  return [...known.values()].sort((one, other) =>
    `${one.from} ${one.to}` < `${other.from} ${other.to}` ? -1 : 1,
  )
}

/** From whoever publishes to a queue to whoever gets its messages. */
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

/** Those that carry requests while the system works, sorted. */
export const liveEdges = (topology: Topology): Edge[] => {
  const direct = Object.entries(topology.services).flatMap(([from, { behaviour }]) => {
    const called = new Set(callSitesOf(behaviour).map(({ to }) => to))
    const registries = [...called].map((to) => behaviour.upstreams?.[to]?.registry)
    const brokers = Object.values(behaviour.consumes ?? {}).map((queue) => queue.from)
    return [...called, ...registries, ...brokers, behaviour.register?.in]
      .filter((to) => to !== undefined)
      .map((to) => ({ from, to }))
  })
  return distinct([...direct, ...queueEdges(topology)])
}

/** Every place where one service calls another, critical or not. */
export const callSites = (topology: Topology): CallEdge[] =>
  Object.entries(topology.services).flatMap(([from, { behaviour }]) =>
    callSitesOf(behaviour).map(({ to, operation, endpoint, critical }) => ({
      from,
      to,
      operation,
      endpoint,
      critical,
    })),
  )

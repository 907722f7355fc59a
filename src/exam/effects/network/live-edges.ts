/** The calls between workloads, without upstreams that are configured but never called. */
import type { Edge, SystemView } from '#spec'

const isDead = ({ topology }: SystemView, { from, to }: Edge): boolean =>
  topology?.services[from]?.behaviour.upstreams?.[to]?.dead === true

export const liveEdges = (system: SystemView): readonly Edge[] => {
  const services = new Set(system.workloads.map(({ service }) => service))
  return system.edges.filter(
    (edge) => services.has(edge.from) && services.has(edge.to) && !isDead(system, edge),
  )
}

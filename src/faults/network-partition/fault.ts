/** One pod and one that it needs no longer reach each other. */
import { neededEdges, podBound } from '../../fault-parts/index.ts'
import { defineFault, type Edge, type FaultTarget, type SystemView } from '../../spec/index.ts'

/** Whom a pod asks only when it starts it does not miss later. */
const isAskedLater = ({ topology }: SystemView, { from, to }: Edge): boolean => {
  const behaviour = topology?.services[from]?.behaviour
  if (behaviour === undefined) return true
  const text = JSON.stringify(behaviour.endpoints ?? {})
  return [`"query":"${to}"`, `"proxy":"${to}"`, `"call":"${to} `].some((use) => text.includes(use))
}

/** One target for each call that users cannot do without, where the caller is a single pod. */
const cuts = (system: SystemView): FaultTarget[] =>
  neededEdges(system)
    .filter((edge) => system.workloadOf(edge.from).replicas === 1 && isAskedLater(system, edge))
    .map(({ from, to }) => ({ service: from, peer: to }))

export const fault = defineFault({
  name: 'network-partition',
  about: 'One pod no longer reaches a service that it needs',
  category: 'network-loss',
  layer: 'network',
  type: 'network-storage-issue',
  parameters: {},
  shapes: ['sudden', 'intermittent', 'transient'],
  symptoms: ['calls of one pod to one service end in timeouts', 'others reach that service as always'],
  targets: cuts,
  ...podBound({
    name: 'network-partition',
    kind: 'NetworkChaos',
    lastsIn: 'pod',
    what: 'which is cut off',
    spec: ({ system, target }) => ({
      action: 'partition',
      direction: 'to',
      target: {
        mode: 'all',
        selector: { namespaces: [system.namespace], labelSelectors: { app: target.peer } },
      },
    }),
  }),
})

/** One pod and one that it needs no longer reach each other. */
import {
  addReplicas,
  dropFinalizers,
  hideThePod,
  killTheProgram,
  podBound,
  restartNeighbours,
} from '../../fault-parts/index.ts'
import { defineFault, type FaultTarget, type SystemView } from '../../spec/index.ts'

/** One target for each call that journeys need, where the caller is a single pod. */
const cuts = (system: SystemView): FaultTarget[] =>
  system.workloads
    .filter(({ service, replicas }) => replicas === 1 && system.impactOf(service).down.length > 0)
    .flatMap(({ service }) => {
      const peers = system.edges.filter(({ from }) => from === service).map(({ to }) => to)
      return [...new Set(peers)]
        .filter((peer) => system.workloads.some((one) => one.service === peer))
        .filter((peer) => system.impactOf(peer).down.length > 0)
        .map((peer) => ({ service, peer }))
    })

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
  hacks: [
    addReplicas,
    hideThePod,
    killTheProgram,
    restartNeighbours,
    dropFinalizers('NetworkChaos', 'network-partition'),
  ],
})

/** One node and a service that pods there need no longer reach each other. */
import {
  canLeave,
  isCalledFor,
  liveEdges,
  neededEdges,
  replacePods,
  serviceOf,
  sickNode,
} from '../../fault-parts/index.ts'
import { defineFault, type FaultTarget, type Hack, type SystemView } from '../../spec/index.ts'

const callersOf = (system: SystemView, peer: unknown): readonly string[] =>
  liveEdges(system)
    .filter(({ to }) => to === peer)
    .map(({ from }) => from)

/** One target for each call that users cannot do without, where the caller is a single pod and all callers can move. */
const cuts = (system: SystemView): FaultTarget[] =>
  neededEdges(system)
    // Whom a pod asks only when it starts it does not miss later.
    .filter((edge) => system.workloadOf(edge.from).replicas === 1 && isCalledFor(system, edge))
    .filter(({ to }) => callersOf(system, to).every((caller) => canLeave(system.workloadOf(caller))))
    .map(({ from, to }) => ({ service: from, peer: to }))

const restartThePeer: Hack = {
  name: 'restart-the-peer',
  about: 'Deletes the pods that are not reached',
  act: (context) => replacePods(context, String(context.target.peer)),
}

export const fault = defineFault({
  name: 'network-partition',
  about: 'Pods on one node no longer reach a service that they need, wherever its pods are',
  category: 'network-loss',
  layer: 'network',
  type: 'network-storage-issue',
  otherLayers: ['hardware'],
  parameters: {},
  shapes: ['sudden', 'intermittent', 'transient'],
  symptoms: [
    'calls from one node to one service end in timeouts, also of pods that have been restarted there',
    'pods on other nodes reach that service as always',
  ],
  targets: cuts,
  ...sickNode({
    name: 'network-partition',
    kind: 'NetworkChaos',
    spec: ({ system, target }) => ({
      action: 'partition',
      direction: 'to',
      target: {
        mode: 'all',
        selector: { namespaces: [system.namespace], labelSelectors: { app: target.peer } },
      },
    }),
    peer: ({ target }) => String(target.peer),
    isFit: (pod, { target }) => serviceOf(pod) !== target.peer,
    // Whoever does not call it may stay.
    mustLeave: (pod, { system, target }) => callersOf(system, target.peer).includes(serviceOf(pod) ?? ''),
    hacks: [restartThePeer],
  }),
})

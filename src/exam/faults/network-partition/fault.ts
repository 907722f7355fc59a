/** Fault: pods on one node cannot reach a service. */
import { liveEdges } from '#exam/effects'
import { canMove, degradedNode, isRequiredCall, neededEdges, replacePods, serviceOf } from '#exam/fault-parts'
import { defineFault, type FaultTarget, type Hack, type SystemView } from '#spec'

const callersOf = (system: SystemView, peer: unknown): readonly string[] =>
  liveEdges(system)
    .filter(({ to }) => to === peer)
    .map(({ from }) => from)

/** One target for each needed call, if its caller has one pod and all callers of the called service can move. */
const findTargets = (system: SystemView): FaultTarget[] =>
  neededEdges(system)
    // A call that a pod makes only at its start is not needed later.
    .filter((edge) => system.workloadOf(edge.from).replicas === 1 && isRequiredCall(system, edge))
    .filter(({ to }) => callersOf(system, to).every((caller) => canMove(system.workloadOf(caller))))
    .map(({ from, to }) => ({ service: from, peer: to }))

const restartUpstream: Hack = {
  name: 'restart-the-upstream',
  about: 'Deletes the pods of the service that cannot be reached',
  act: (context) => replacePods(context, String(context.target.peer)),
}

export const fault = defineFault({
  name: 'network-partition',
  about: 'Pods on one node cannot reach a service that they need',
  category: 'network-loss',
  layer: 'network',
  type: 'network-storage-issue',
  otherLayers: ['hardware'],
  parameters: {},
  shapes: ['sudden', 'intermittent', 'transient'],
  symptoms: [
    'calls from one node to one service time out, even from pods that were restarted there',
    'pods on other nodes can reach that service',
  ],
  targets: findTargets,
  ...degradedNode({
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
    canBeAffected: (pod, { target }) => serviceOf(pod) !== target.peer,
    // Pods that do not call the service may stay.
    mustLeave: (pod, { system, target }) => callersOf(system, target.peer).includes(serviceOf(pod) ?? ''),
    hacks: [restartUpstream],
  }),
})

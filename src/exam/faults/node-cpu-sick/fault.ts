/** Fault: all pods on one node are starved of CPU. */
import { degradedNode, limitOf, movableTargets } from '#exam/fault-parts'
import { defineFault, type SystemView } from '#spec'

/** All nodes of a local cluster share one machine, so the pods of one node must not use more than this. */
const MAX_CORES_PER_NODE = 2
const NODE_COUNT = 3

const fitsOnMachine = (system: SystemView): boolean =>
  system.workloads.reduce((sum, workload) => sum + limitOf(workload, 'cpu') * workload.replicas, 0) /
    NODE_COUNT <=
  MAX_CORES_PER_NODE

export const fault = defineFault({
  name: 'node-cpu-sick',
  about: 'All pods on one node are starved of CPU',
  category: 'cpu-stress',
  layer: 'hardware',
  type: 'capacity-shortage',
  otherLayers: ['operating-system'],
  parameters: {
    workers: {
      type: 'integer',
      about: 'The number of workers for each pod',
      min: 4,
      max: 16,
      default: 8,
    },
  },
  symptoms: [
    'services that share only their node are slow at the same time',
    'pods on one node are throttled',
  ],
  targets: (system) => (fitsOnMachine(system) ? movableTargets(system, { when: 'starved' }) : []),
  ...degradedNode({
    name: 'node-cpu',
    kind: 'StressChaos',
    spec: ({ params }) => ({ stressors: { cpu: { workers: params.workers, load: 100 } } }),
  }),
})

/** A node on which something takes the CPU away from every pod. */
import { limitOf, movableTargets, sickNode } from '../../fault-parts/index.ts'
import { defineFault, type SystemView } from '../../spec/index.ts'

/** Cores. Nodes of a local cluster share one machine, of which pods on one node may take no more. */
const MOST = 2
const NODES = 3

const isBearable = (system: SystemView): boolean =>
  system.workloads.reduce((sum, workload) => sum + limitOf(workload, 'cpu') * workload.replicas, 0) / NODES <=
  MOST

export const fault = defineFault({
  name: 'node-cpu-sick',
  about: 'On one node every pod is starved of CPU',
  category: 'cpu-stress',
  layer: 'hardware',
  type: 'capacity-shortage',
  otherLayers: ['operating-system'],
  parameters: {
    workers: { type: 'integer', about: 'How many burn beside each pod', least: 4, most: 16, default: 8 },
  },
  symptoms: [
    'services without anything in common but their node are slow at the same time',
    'pods on one node are throttled',
  ],
  targets: (system) => (isBearable(system) ? movableTargets(system, { when: 'starved' }) : []),
  ...sickNode({
    name: 'node-cpu',
    kind: 'StressChaos',
    spec: ({ params }) => ({ stressors: { cpu: { workers: params.workers, load: 100 } } }),
  }),
})

/** Fault: packets from one node are delayed. */
import { degradedNode, movableTargets } from '#exam/fault-parts'
import { defineFault } from '#spec'

export const fault = defineFault({
  name: 'node-network-sick',
  about: 'All packets from pods on one node are delayed',
  category: 'network-delay',
  layer: 'hardware',
  type: 'network-storage-issue',
  otherLayers: ['network'],
  parameters: {
    latency: {
      type: 'integer',
      about: 'The delay of a packet',
      min: 100,
      max: 500,
      default: 150,
      unit: 'ms',
    },
  },
  symptoms: ['calls to and from all pods on one node are slow', 'the pods themselves are idle'],
  targets: (system) => movableTargets(system, { when: 'slow' }),
  ...degradedNode({
    name: 'node-network',
    kind: 'NetworkChaos',
    spec: ({ params }) => ({
      direction: 'to',
      action: 'delay',
      delay: { latency: `${params.latency}ms`, correlation: '0' },
    }),
  }),
})

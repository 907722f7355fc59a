/** A node whose network card holds packets up. */
import { movableTargets, sickNode } from '../../fault-parts/index.ts'
import { defineFault } from '../../spec/index.ts'

export const fault = defineFault({
  name: 'node-network-sick',
  about: 'All that pods on one node send comes late',
  category: 'network-delay',
  layer: 'hardware',
  type: 'network-storage-issue',
  otherLayers: ['network'],
  parameters: {
    latency: {
      type: 'integer',
      about: 'How much later it comes',
      least: 100,
      most: 500,
      default: 150,
      unit: 'ms',
    },
  },
  symptoms: [
    'calls to and from the pods on one node are slow, whatever their service',
    'the pods themselves are idle',
  ],
  targets: (system) => movableTargets(system, { when: 'slow' }),
  ...sickNode({
    name: 'node-network',
    kind: 'NetworkChaos',
    spec: ({ params }) => ({
      direction: 'to',
      action: 'delay',
      delay: { latency: `${params.latency}ms`, correlation: '0' },
    }),
  }),
})

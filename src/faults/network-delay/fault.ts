/** MicroRemed's network-delay: all that one pod sends comes a second late. */
import { podBound, singlePods } from '../../fault-parts/index.ts'
import { defineFault } from '../../spec/index.ts'

export const fault = defineFault({
  name: 'network-delay',
  about: 'All that one pod sends comes late',
  category: 'network-delay',
  layer: 'network',
  type: 'network-storage-issue',
  parameters: {
    latency: {
      type: 'integer',
      about: 'How much later it comes',
      least: 500,
      most: 3000,
      default: 1000,
      unit: 'ms',
    },
  },
  shapes: ['sudden', 'gradual', 'intermittent', 'transient'],
  symptoms: ['each call to and from one pod takes seconds', 'the pod itself is idle'],
  targets: (system) => singlePods(system, { when: 'slow' }),
  ...podBound({
    name: 'network-delay',
    kind: 'NetworkChaos',
    lastsIn: 'pod',
    what: 'whose packets are held up',
    spec: ({ params, share }) => ({
      direction: 'to',
      action: 'delay',
      delay: { latency: `${Math.ceil(Number(params.latency) * share)}ms`, correlation: '0' },
    }),
  }),
})

/** Fault: MicroRemed's network-delay. Packets from one pod are delayed by a second. */
import { podBound, singlePods } from '#exam/fault-parts'
import { defineFault } from '#spec'

export const fault = defineFault({
  name: 'network-delay',
  about: 'All packets from one pod are delayed',
  category: 'network-delay',
  layer: 'network',
  type: 'network-storage-issue',
  parameters: {
    latency: {
      type: 'integer',
      about: 'The delay of a packet',
      min: 500,
      max: 3000,
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
    evidenceClause: 'whose packets are delayed',
    spec: ({ params, share }) => ({
      direction: 'to',
      action: 'delay',
      delay: { latency: `${Math.ceil(Number(params.latency) * share)}ms`, correlation: '0' },
    }),
  }),
})

/** Fault: MicroRemed's network-loss. Half of the packets from one pod are lost. */
import { podBound, singlePods } from '#exam/fault-parts'
import { defineFault } from '#spec'

export const fault = defineFault({
  name: 'network-loss',
  about: 'A share of the packets from one pod is lost',
  category: 'network-loss',
  layer: 'network',
  type: 'network-storage-issue',
  parameters: {
    loss: {
      type: 'integer',
      about: 'The share of lost packets',
      min: 50,
      max: 80,
      default: 50,
      unit: '%',
    },
  },
  shapes: ['sudden', 'gradual', 'intermittent', 'transient'],
  symptoms: ['packets of one pod are retransmitted', 'calls to and from the pod hang or time out'],
  targets: (system) => singlePods(system, { when: 'lossy' }),
  ...podBound({
    name: 'network-loss',
    kind: 'NetworkChaos',
    lastsIn: 'pod',
    evidenceClause: 'whose packets are lost',
    spec: ({ params, share }) => ({
      direction: 'to',
      action: 'loss',
      loss: { loss: String(Math.ceil(Number(params.loss) * share)), correlation: '0' },
    }),
  }),
})

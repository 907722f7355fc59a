/** MicroRemed's network-loss: half of what one pod sends never arrives. */
import { podBound, singlePods } from '../../fault-parts/index.ts'
import { defineFault } from '../../spec/index.ts'

export const fault = defineFault({
  name: 'network-loss',
  about: 'Of what one pod sends a part is lost on the way',
  category: 'network-loss',
  layer: 'network',
  type: 'network-storage-issue',
  parameters: {
    loss: { type: 'integer', about: 'How much is lost', least: 50, most: 80, default: 50, unit: '%' },
  },
  shapes: ['sudden', 'gradual', 'intermittent', 'transient'],
  symptoms: [
    'packets of one pod are sent again and again',
    'calls to and from the pod hang or end in timeouts',
  ],
  targets: (system) => singlePods(system, { when: 'lossy' }),
  ...podBound({
    name: 'network-loss',
    kind: 'NetworkChaos',
    lastsIn: 'pod',
    what: 'whose packets are lost',
    spec: ({ params, share }) => ({
      direction: 'to',
      action: 'loss',
      loss: { loss: String(Math.ceil(Number(params.loss) * share)), correlation: '0' },
    }),
  }),
})

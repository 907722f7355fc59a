/** MicroRemed's pod-fail: the containers of one pod run an image that does nothing. It lasts until it is mended. */
import { podBound, singlePods } from '../../fault-parts/index.ts'
import { defineFault } from '../../spec/index.ts'

export const fault = defineFault({
  name: 'pod-fail',
  about: 'One pod is there and does nothing',
  category: 'pod-fail',
  layer: 'virtualisation',
  type: 'operation-error',
  parameters: {},
  shapes: ['sudden', 'intermittent', 'transient'],
  symptoms: ['one pod is not ready', 'calls to its service are refused'],
  targets: (system) => singlePods(system, { when: 'down' }),
  ...podBound({
    name: 'pod-fail',
    kind: 'PodChaos',
    lastsIn: 'pod',
    what: 'which does nothing',
    graceSeconds: 1,
    spec: () => ({ action: 'pod-failure', gracePeriod: 0 }),
  }),
})

/** MicroRemed's disk-io: half of what is done in the folder for logs takes five seconds longer. */
import { hasMount, podBound, singlePods } from '../../fault-parts/index.ts'
import { defineFault, type FaultTarget, type SystemView } from '../../spec/index.ts'

const LOGS = '/var/log/mysql'

/** Of a cluster of MySQL servers the leader is the one that everybody waits for. */
const leaders = (system: SystemView): FaultTarget[] =>
  system.workloads
    .filter(
      (workload) => workload.kind === 'StatefulSet' && workload.replicas > 1 && hasMount(workload, LOGS),
    )
    .filter(({ service }) => system.impactOf(service).slow.length > 0)
    .map(({ service }) => ({ service, role: 'leader' }))

export const fault = defineFault({
  name: 'disk-io',
  about: 'What one pod writes to its folder for logs takes seconds',
  category: 'disk-io',
  layer: 'hardware',
  type: 'network-storage-issue',
  otherLayers: ['operating-system'],
  parameters: {
    delay: {
      type: 'integer',
      about: 'How much longer it takes',
      least: 2000,
      most: 8000,
      default: 5000,
      unit: 'ms',
    },
    percent: { type: 'integer', about: 'How much of it', least: 40, most: 100, default: 50, unit: '%' },
  },
  shapes: ['sudden', 'gradual', 'intermittent', 'transient'],
  symptoms: [
    'what one pod answers takes seconds now and then',
    'the pod waits for its disk, and not for its CPU',
  ],
  targets: (system) => [
    ...singlePods(system, { when: 'slow', also: (workload) => hasMount(workload, LOGS) }),
    ...leaders(system),
  ],
  ...podBound({
    name: 'disk-io',
    kind: 'IOChaos',
    lastsIn: 'container',
    what: 'whose disk is slow',
    graceSeconds: 1,
    spec: ({ params, share }) => ({
      action: 'latency',
      volumePath: LOGS,
      path: `${LOGS}/**/*`,
      delay: `${params.delay}ms`,
      percent: Math.ceil(Number(params.percent) * share),
    }),
  }),
})

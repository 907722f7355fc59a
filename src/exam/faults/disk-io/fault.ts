/** Fault: MicroRemed's disk-io. Half of the operations in the log folder take five seconds longer. */
import { hasMount, podBound, singlePods } from '#exam/fault-parts'
import { defineFault, type FaultTarget, type SystemView } from '#spec'

const LOG_FOLDER = '/var/log/mysql'

/** Targets in MySQL clusters: the leader, for which clients wait. */
const leaders = (system: SystemView): FaultTarget[] =>
  system.workloads
    .filter(
      (workload) =>
        workload.kind === 'StatefulSet' && workload.replicas > 1 && hasMount(workload, LOG_FOLDER),
    )
    .filter(({ service }) => system.impactOf(service).slow.length > 0)
    .map(({ service }) => ({ service, role: 'leader' }))

export const fault = defineFault({
  name: 'disk-io',
  about: 'Disk operations of one pod in its log folder take seconds',
  category: 'disk-io',
  layer: 'hardware',
  type: 'network-storage-issue',
  otherLayers: ['operating-system'],
  parameters: {
    delay: {
      type: 'integer',
      about: 'The additional latency of an operation',
      min: 2000,
      max: 8000,
      default: 5000,
      unit: 'ms',
    },
    percent: {
      type: 'integer',
      about: 'The share of operations that are delayed',
      min: 40,
      max: 100,
      default: 50,
      unit: '%',
    },
  },
  shapes: ['sudden', 'gradual', 'intermittent', 'transient'],
  symptoms: ['some responses of one pod take seconds', 'the pod waits for its disk, and its CPU is idle'],
  targets: (system) => [
    ...singlePods(system, { when: 'slow', also: (workload) => hasMount(workload, LOG_FOLDER) }),
    ...leaders(system),
  ],
  ...podBound({
    name: 'disk-io',
    kind: 'IOChaos',
    lastsIn: 'container',
    evidenceClause: 'whose disk is slow',
    graceSeconds: 1,
    spec: ({ params, share }) => ({
      action: 'latency',
      volumePath: LOG_FOLDER,
      path: `${LOG_FOLDER}/**/*`,
      delay: `${params.delay}ms`,
      percent: Math.ceil(Number(params.percent) * share),
    }),
  }),
})

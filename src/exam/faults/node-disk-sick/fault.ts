/** Fault: disk writes on one node are slow. */
import { degradedNode, hasMount, movableTargets } from '#exam/fault-parts'
import { type ApiObject, containersOf, defineFault } from '#spec'

const LOG_FOLDER = '/var/log/mysql'

const writesLogs = (pod: ApiObject): boolean =>
  containersOf(pod)[0]?.volumeMounts?.some(({ mountPath }) => mountPath === LOG_FOLDER) === true

export const fault = defineFault({
  name: 'node-disk-sick',
  about: 'Disk writes of pods on one node are slow',
  category: 'disk-io',
  layer: 'hardware',
  type: 'network-storage-issue',
  parameters: {
    delay: {
      type: 'integer',
      about: 'The additional latency of a write',
      min: 300,
      max: 1500,
      default: 500,
      unit: 'ms',
    },
  },
  symptoms: [
    'services that share only their node respond late',
    'pods on one node wait for their disk, and their CPU is idle',
  ],
  targets: (system) =>
    movableTargets(system, { when: 'slow', also: (workload) => hasMount(workload, LOG_FOLDER) }),
  ...degradedNode({
    name: 'node-disk',
    kind: 'IOChaos',
    spec: ({ params }) => ({
      action: 'latency',
      volumePath: LOG_FOLDER,
      path: `${LOG_FOLDER}/**/*`,
      delay: `${params.delay}ms`,
      percent: 100,
    }),
    canBeAffected: writesLogs,
  }),
})

/** A node whose disk takes long for what should take a millisecond. */
import { hasMount, movableTargets, sickNode } from '../../fault-parts/index.ts'
import { defineFault } from '../../spec/index.ts'

const LOGS = '/var/log/mysql'

const writesLogs = ({ spec }: { readonly spec?: unknown }): boolean => {
  const { containers } = spec as {
    containers: readonly { volumeMounts?: readonly { mountPath: string }[] }[]
  }
  return (containers[0]?.volumeMounts ?? []).some(({ mountPath }) => mountPath === LOGS)
}

export const fault = defineFault({
  name: 'node-disk-sick',
  about: 'What pods on one node write to its disk takes long',
  category: 'disk-io',
  layer: 'hardware',
  type: 'network-storage-issue',
  parameters: {
    delay: {
      type: 'integer',
      about: 'How much longer it takes',
      least: 300,
      most: 1500,
      default: 500,
      unit: 'ms',
    },
  },
  symptoms: [
    'services without anything in common but their node answer late',
    'pods on one node wait for their disk, and not for their CPU',
  ],
  targets: (system) => movableTargets(system, { when: 'slow', also: (workload) => hasMount(workload, LOGS) }),
  ...sickNode({
    name: 'node-disk',
    kind: 'IOChaos',
    spec: ({ params }) => ({
      action: 'latency',
      volumePath: LOGS,
      path: `${LOGS}/**/*`,
      delay: `${params.delay}ms`,
      percent: 100,
    }),
    isFit: writesLogs,
  }),
})

/** The volume on which a store keeps its data is slow. */
import { hasMount, podBound, writtenStores } from '../../fault-parts/index.ts'
import { defineFault, type FaultTarget, type SystemView } from '../../spec/index.ts'

/** Where stores keep what they must not forget. */
const DATA = ['/data', '/data/db', '/var/lib/mysql']

/** Of a cluster of servers the leader is the one that writes for everybody. */
const stores = (system: SystemView): FaultTarget[] => {
  // All that is only read comes from memory.
  const written = writtenStores(system)
  return system.workloads
    .filter(({ service }) => written.has(service) && system.impactOf(service).slow.length > 0)
    .flatMap((workload) => {
      const volume = DATA.find((path) => hasMount(workload, path))
      if (volume === undefined) return []
      return [{ service: workload.service, volume, ...(workload.replicas > 1 ? { role: 'leader' } : {}) }]
    })
}

export const fault = defineFault({
  name: 'slow-volume',
  about: 'What a store writes to the volume with its data takes seconds',
  category: 'disk-io',
  layer: 'hardware',
  type: 'network-storage-issue',
  parameters: {
    delay: {
      type: 'integer',
      about: 'How much longer it takes',
      least: 1000,
      most: 5000,
      default: 2000,
      unit: 'ms',
    },
    percent: { type: 'integer', about: 'How much of it', least: 60, most: 100, default: 100, unit: '%' },
  },
  shapes: ['sudden', 'gradual', 'intermittent', 'transient'],
  symptoms: ['whatever changes data takes seconds', 'the store is idle: it waits for its disk'],
  targets: stores,
  ...podBound({
    name: 'slow-volume',
    kind: 'IOChaos',
    lastsIn: 'container',
    what: 'whose volume is slow',
    graceSeconds: 1,
    spec: ({ target, params, share }) => ({
      action: 'latency',
      volumePath: target.volume,
      methods: ['write', 'fsync', 'flush'],
      delay: `${params.delay}ms`,
      percent: Math.ceil(Number(params.percent) * share),
    }),
  }),
})

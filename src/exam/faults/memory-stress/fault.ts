/** Fault: MicroRemed's memory-stress. A worker allocates and uses 1280 MiB in one pod. */
import { limitOf, podBound, runsInside, singlePods } from '#exam/fault-parts'
import { defineFault } from '#spec'

const MEBIBYTE = 2 ** 20
const MAX_MIB = 1280
/** Reserved for the program: above the limit the kernel would kill the worker, which would end the fault. */
const SPARE_MIB = 400

export const fault = defineFault({
  name: 'memory-stress',
  about: 'A worker in one pod allocates most of the memory that its limit allows and accesses it permanently',
  category: 'memory-stress',
  layer: 'operating-system',
  type: 'capacity-shortage',
  parameters: {
    // As in MicroRemed; more workers would exceed the limit.
    workers: { type: 'integer', about: 'The number of workers', min: 1, max: 1, default: 1 },
    size: {
      type: 'integer',
      about: 'The memory of each worker',
      min: 512,
      max: MAX_MIB,
      default: MAX_MIB,
      unit: 'MiB',
    },
  },
  shapes: ['sudden', 'gradual', 'intermittent', 'transient'],
  symptoms: ['the memory usage of one pod is far above its former level', 'responses of the pod become slow'],
  targets: (system) =>
    singlePods(system, {
      when: 'starved',
      also: (workload) => {
        const memory = limitOf(workload, 'memory') / MEBIBYTE
        return limitOf(workload, 'cpu') <= 0.5 && memory >= MAX_MIB + SPARE_MIB && memory < 4 * MAX_MIB
      },
    }),
  ...podBound({
    name: 'memory-stress',
    kind: 'StressChaos',
    lastsIn: 'container',
    evidenceClause: 'in which the worker runs',
    graceSeconds: 1,
    spec: ({ params, share }) => ({
      stressors: {
        memory: { workers: Number(params.workers), size: `${Math.ceil(Number(params.size) * share)}MiB` },
      },
    }),
    hasEffect: (context, pod) => runsInside(context, pod, 'memStress'),
  }),
})

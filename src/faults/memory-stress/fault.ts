/** MicroRemed's memory-stress: one worker takes 1280 MiB in one pod, and works on them. */
import { limitOf, podBound, runsInside, singlePods } from '../../fault-parts/index.ts'
import { defineFault } from '../../spec/index.ts'

const MEBIBYTE = 2 ** 20
const MOST_MIB = 1280
/** For the program itself: beyond its limit the kernel would kill the worker, and all would be well. */
const SPARE_MIB = 400

export const fault = defineFault({
  name: 'memory-stress',
  about: 'A worker in one pod takes most of the memory that its limit allows, and goes over it without end',
  category: 'memory-stress',
  layer: 'operating-system',
  type: 'capacity-shortage',
  parameters: {
    // As MicroRemed says it; more of them would be over the limit.
    workers: { type: 'integer', about: 'How many take memory', least: 1, most: 1, default: 1 },
    size: {
      type: 'integer',
      about: 'What each takes',
      least: 512,
      most: MOST_MIB,
      default: MOST_MIB,
      unit: 'MiB',
    },
  },
  shapes: ['sudden', 'gradual', 'intermittent', 'transient'],
  symptoms: ['the memory of one pod is far above what it was', 'what the pod serves becomes slow'],
  targets: (system) =>
    singlePods(system, {
      when: 'starved',
      also: (workload) => {
        const memory = limitOf(workload, 'memory') / MEBIBYTE
        return limitOf(workload, 'cpu') <= 0.5 && memory >= MOST_MIB + SPARE_MIB && memory < 4 * MOST_MIB
      },
    }),
  ...podBound({
    name: 'memory-stress',
    kind: 'StressChaos',
    lastsIn: 'container',
    what: 'in which the worker runs',
    graceSeconds: 1,
    spec: ({ params, share }) => ({
      stressors: {
        memory: { workers: Number(params.workers), size: `${Math.ceil(Number(params.size) * share)}MiB` },
      },
    }),
    isAtWork: (context, pod) => runsInside(context, pod, 'memStress'),
  }),
})

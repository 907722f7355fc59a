/** MicroRemed's cpu-stress: ten workers burn the CPU of one pod. */
import { limitOf, podBound, runsInside, singlePods } from '../../fault-parts/index.ts'
import { defineFault } from '../../spec/index.ts'

export const fault = defineFault({
  name: 'cpu-stress',
  about: 'Workers in one pod use all the CPU that its limit allows',
  category: 'cpu-stress',
  layer: 'operating-system',
  type: 'capacity-shortage',
  parameters: {
    workers: { type: 'integer', about: 'How many burn', least: 4, most: 32, default: 10 },
    load: {
      type: 'integer',
      about: 'How much of a core each wants',
      least: 50,
      most: 100,
      default: 100,
      unit: '%',
    },
  },
  shapes: ['sudden', 'gradual', 'intermittent', 'transient'],
  symptoms: ['the CPU of one pod is at its limit and throttled', 'what the pod serves becomes slow'],
  targets: (system) =>
    singlePods(system, {
      when: 'starved',
      also: (workload) => limitOf(workload, 'cpu') <= 1,
    }),
  ...podBound({
    name: 'cpu-stress',
    kind: 'StressChaos',
    lastsIn: 'pod',
    follows: true,
    what: 'in which the workers run',
    graceSeconds: 1,
    spec: ({ params, share }) => ({
      stressors: {
        cpu: { workers: Number(params.workers), load: Math.ceil(Number(params.load) * share) },
      },
    }),
    isAtWork: (context, pod) => runsInside(context, pod, 'stress-ng'),
  }),
})

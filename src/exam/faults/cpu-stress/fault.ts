/** Fault: MicroRemed's cpu-stress. Ten workers use the CPU of one pod. */
import { limitOf, podBound, runsInside, singlePods } from '#exam/fault-parts'
import { defineFault } from '#spec'

export const fault = defineFault({
  name: 'cpu-stress',
  about: 'Workers in one pod use all the CPU that its limit allows',
  category: 'cpu-stress',
  layer: 'operating-system',
  type: 'capacity-shortage',
  parameters: {
    workers: { type: 'integer', about: 'The number of workers', min: 4, max: 32, default: 10 },
    load: {
      type: 'integer',
      about: 'The load of each worker on a core',
      min: 50,
      max: 100,
      default: 100,
      unit: '%',
    },
  },
  shapes: ['sudden', 'gradual', 'intermittent', 'transient'],
  symptoms: ['the CPU of one pod is at its limit and throttled', 'responses of the pod become slow'],
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
    evidenceClause: 'in which the workers run',
    graceSeconds: 1,
    spec: ({ params, share }) => ({
      stressors: {
        cpu: { workers: Number(params.workers), load: Math.ceil(Number(params.load) * share) },
      },
    }),
    hasEffect: (context, pod) => runsInside(context, pod, 'stress-ng'),
  }),
})

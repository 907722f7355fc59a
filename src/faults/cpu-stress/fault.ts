/** MicroRemed's cpu-stress: ten workers burn the CPU of one pod. */

import { injectChaos, isThere, onPod, podsOf, removeChaos, toPlaybook } from '../../fault-parts/index.ts'
import { defineFault } from '../../spec/index.ts'

export const fault = defineFault({
  name: 'cpu-stress',
  about: 'Workers in one pod use all the CPU that its limit allows',
  category: 'cpu-stress',
  layer: 'operating-system',
  type: 'capacity-shortage',
  binding: 'pod',
  parameters: {
    workers: { type: 'integer', about: 'How many burn', least: 1, most: 64, default: 10 },
    load: {
      type: 'integer',
      about: 'How much of a core each wants',
      least: 1,
      most: 100,
      default: 100,
      unit: '%',
    },
  },
  shapes: ['sudden', 'gradual', 'intermittent', 'transient'],
  symptoms: ['the CPU of one pod is at its limit and throttled', 'what the pod serves becomes slow'],
  targets: (system) =>
    system.workloads
      .filter(({ service }) => system.impactOf(service).slow.length > 0)
      .map(({ service }) => ({ service })),
  async inject(context, before) {
    const { system, target, params, share } = context
    if (before !== undefined) await removeChaos(context, 'StressChaos', 'cpu-stress')
    const pod = before === undefined ? (await podsOf(context, target.service))[0]! : undefined
    const state = before ?? { pod: pod!.metadata.name, uid: pod!.metadata.uid }
    await injectChaos(context, 'StressChaos', 'cpu-stress', {
      ...onPod(system.namespace, String(state.pod)),
      stressors: { cpu: { workers: params.workers, load: Math.ceil(Number(params.load) * share) } },
    })
    return state
  },
  recover: (context) => removeChaos(context, 'StressChaos', 'cpu-stress'),
  isGone({ now, state }) {
    const holds = !isThere(now, state.uid)
    return {
      holds,
      evidence: `the pod ${state.pod}, in which the workers run, is ${holds ? 'gone' : 'still there'}`,
    }
  },
  fix: ({ system, state }) =>
    toPlaybook('Replace the pod that is stressed', [
      {
        name: 'Delete the pod; its workload makes a new one',
        'kubernetes.core.k8s': {
          state: 'absent',
          api_version: 'v1',
          kind: 'Pod',
          namespace: system.namespace,
          name: state.pod,
        },
      },
    ]),
  hacks: [],
})

/** An autoscaler that may not add the pods that are needed. */
import {
  crowdedServices,
  growTask,
  inflateCpu,
  letUsersCome,
  overrunServices,
  podsFor,
  SURGE_FACTOR,
  toPlaybook,
  workloadRef,
} from '../../fault-parts/index.ts'
import { defineFault, type FaultCase, type Hack, type ResourceRef } from '../../spec/index.ts'

const collection = ({ system }: Pick<FaultCase, 'system'>): ResourceRef => ({
  apiVersion: 'autoscaling/v2',
  plural: 'horizontalpodautoscalers',
  namespace: system.namespace,
})

/** One for each of those whom a crowd overruns, with the name of the workload. */
const namesOf = ({ system }: Pick<FaultCase, 'system'>): readonly string[] =>
  crowdedServices(system).map((service) => system.workloadOf(service).name)

const autoscaler = ({ system, params }: FaultCase, service: string): object => {
  const { kind, name, replicas } = system.workloadOf(service)
  const goal = { type: 'Utilization', averageUtilization: Number(params.utilisation) }
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, namespace: system.namespace },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind, name },
      minReplicas: replicas,
      maxReplicas: replicas,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: goal } }],
    },
  }
}

/** Undone by the autoscaler at its next look. */
const onlyScale: Hack = {
  name: 'scale-by-hand-only',
  about: 'Adds pods to the workload and leaves the ceiling, so that they are taken away again',
  async act({ api, system }) {
    for (const service of crowdedServices(system))
      await api.scale(workloadRef(system, service), podsFor(system, service))
  },
}

const lowerTarget: Hack = {
  name: 'lower-the-utilisation',
  about: 'Makes the autoscaler want more pods, which it may not add',
  async act(context) {
    const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 10 } }
    for (const name of namesOf(context))
      await context.api.patch({ ...collection(context), name }, 'merge', {
        spec: { metrics: [{ type: 'Resource', resource }] },
      })
  },
}

export const fault = defineFault({
  name: 'autoscaler-ceiling',
  about: 'Autoscalers may not add pods when many more users come, because their ceilings are too low',
  category: 'cpu-stress',
  layer: 'virtualisation',
  type: 'misconfiguration',
  binding: 'cause',
  parameters: {
    factor: SURGE_FACTOR,
    utilisation: {
      type: 'integer',
      about: 'The share of its requested CPU that a pod is to use',
      least: 50,
      most: 90,
      default: 70,
      unit: '%',
    },
  },
  symptoms: [
    'autoscalers are at their ceilings, and want more',
    'the CPU of the entry and of what it calls is at the limit and throttled',
    'all journeys become slow',
  ],
  targets: (system) => overrunServices(system).map((service) => ({ service })),
  async inject(context, before) {
    if (before === undefined)
      for (const service of crowdedServices(context.system))
        await context.api.create(collection(context), autoscaler(context, service))
    await letUsersCome(context)
    const { name, replicas } = context.system.workloadOf(context.target.service)
    return { name, ceiling: replicas }
  },
  async recover(context) {
    await context.users.multiply(1)
    for (const name of namesOf(context))
      await context.api.delete({ ...collection(context), name }).catch((error: { code?: unknown }) => {
        if (error.code !== 404) throw error
      })
  },
  isGone({ now, state }) {
    const found = now.get('HorizontalPodAutoscaler', String(state.name))
    const { maxReplicas } = (found?.spec ?? {}) as { maxReplicas?: number }
    return {
      holds: maxReplicas === undefined || maxReplicas > Number(state.ceiling),
      evidence: found === undefined ? 'there is no autoscaler' : `the autoscaler may go up to ${maxReplicas}`,
    }
  },
  scope: ({ system }) => ({ services: crowdedServices(system) }),
  fix: (about) =>
    toPlaybook(`Let ${about.target.service} and what it needs grow`, [
      {
        name: 'Raise the ceilings of the autoscalers',
        'kubernetes.core.k8s': {
          state: 'patched',
          definition: crowdedServices(about.system).map((service) => ({
            apiVersion: 'autoscaling/v2',
            kind: 'HorizontalPodAutoscaler',
            metadata: { name: about.system.workloadOf(service).name, namespace: about.system.namespace },
            spec: { maxReplicas: podsFor(about.system, service) },
          })),
        },
      },
      growTask('Add the pods at once, rather than wait for their next look', about),
    ]),
  hacks: [onlyScale, lowerTarget, inflateCpu],
})

/** An autoscaler that may not add the pods that are needed. */
import {
  inflateCpu,
  letUsersCome,
  overrunServices,
  podsFor,
  SURGE_FACTOR,
  scaleTask,
  toPlaybook,
} from '../../fault-parts/index.ts'
import { defineFault, type FaultCase, type Hack, type ResourceRef } from '../../spec/index.ts'

const collection = ({ system }: Pick<FaultCase, 'system'>): ResourceRef => ({
  apiVersion: 'autoscaling/v2',
  plural: 'horizontalpodautoscalers',
  namespace: system.namespace,
})

const autoscaler = ({ system, target, params }: FaultCase): object => {
  const { kind, name, replicas } = system.workloadOf(target.service)
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
  async act({ api, system, target, params }) {
    const { name } = system.workloadOf(target.service)
    const ref = { apiVersion: 'apps/v1', plural: 'deployments', namespace: system.namespace, name }
    await api.scale(ref, podsFor({ system, target, params }))
  },
}

const lowerTarget: Hack = {
  name: 'lower-the-utilisation',
  about: 'Makes the autoscaler want more pods, which it may not add',
  async act(context) {
    const { name } = context.system.workloadOf(context.target.service)
    const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 10 } }
    await context.api.patch({ ...collection(context), name }, 'merge', {
      spec: { metrics: [{ type: 'Resource', resource }] },
    })
  },
}

export const fault = defineFault({
  name: 'autoscaler-ceiling',
  about: 'An autoscaler may not add pods when many more users come, because its ceiling is too low',
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
    'the autoscaler is at its ceiling, and wants more',
    'the CPU of the service is at the limit and throttled',
    'all journeys become slow',
  ],
  targets: (system) => overrunServices(system).map((service) => ({ service })),
  async inject(context, before) {
    const { name, replicas } = context.system.workloadOf(context.target.service)
    if (before === undefined) await context.api.create(collection(context), autoscaler(context))
    await letUsersCome(context)
    return { name, ceiling: replicas }
  },
  async recover(context, state) {
    await context.users.multiply(1)
    try {
      await context.api.delete({ ...collection(context), name: String(state.name) })
    } catch (error) {
      if ((error as { code?: unknown }).code !== 404) throw error
    }
  },
  isGone({ now, state }) {
    const found = now.get('HorizontalPodAutoscaler', String(state.name))
    const { maxReplicas } = (found?.spec ?? {}) as { maxReplicas?: number }
    return {
      holds: maxReplicas === undefined || maxReplicas > Number(state.ceiling),
      evidence: found === undefined ? 'there is no autoscaler' : `the autoscaler may go up to ${maxReplicas}`,
    }
  },
  fix: (about) =>
    toPlaybook(`Let ${about.target.service} grow`, [
      {
        name: 'Raise the ceiling of the autoscaler',
        'kubernetes.core.k8s': {
          state: 'patched',
          api_version: 'autoscaling/v2',
          kind: 'HorizontalPodAutoscaler',
          namespace: about.system.namespace,
          name: about.state.name,
          definition: { spec: { maxReplicas: podsFor(about) } },
        },
      },
      scaleTask('Add the pods at once, rather than wait for its next look', about, podsFor(about)),
    ]),
  hacks: [onlyScale, lowerTarget, inflateCpu],
})

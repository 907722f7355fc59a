/** Fault: the maximum of an autoscaler prevents it from adding the pods that are needed. */
import {
  addUsers,
  editWorkload,
  growableServices,
  ignoreMissing,
  isEditable,
  mainContainer,
  patchTarget,
  restoreTemplate,
  toPlaybook,
  withUndo,
  workloadRef,
} from '#exam/fault-parts'
import {
  defineFault,
  type FaultCase,
  type FaultContext,
  type Hack,
  JUDGING_RULES,
  type ResourceRef,
  type SystemView,
} from '#spec'
import { judgeCapacity, SUFFICIENT_PODS } from './capacity.ts'
import { judgeMaximum } from './judge-maximum.ts'

/**
 * In percent. With one pod at its limit, the autoscaler adds all needed pods at once: smaller steps would
 * take too long after a fix.
 */
const TARGET_UTILISATION = 100 / SUFFICIENT_PODS

/** The first version of the rules that counts ready pods, not pods that the autoscaler may add. */
const RULES_WITH_SERVING_PODS = 3
/** Arrivals vary, and a queue takes time to build up. */
const SERVED_FOR_MS = 5000

const autoscalersRef = ({ namespace }: SystemView): ResourceRef => ({
  apiVersion: 'autoscaling/v2',
  plural: 'horizontalpodautoscalers',
  namespace,
})

/** Measures only the main container: idle sidecars would hide that it is at its limit. */
const toCpuMetric = ({ system, target }: FaultCase, averageUtilization: number): object => ({
  type: 'ContainerResource',
  containerResource: {
    name: 'cpu',
    container: mainContainer(system, target.service).name,
    target: { type: 'Utilization', averageUtilization },
  },
})

const toAutoscaler = (faultCase: FaultCase): object => {
  const { system, target } = faultCase
  const { kind, name, replicas } = system.workloadOf(target.service)
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, namespace: system.namespace },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind, name },
      minReplicas: replicas,
      maxReplicas: replicas,
      metrics: [toCpuMetric(faultCase, TARGET_UTILISATION)],
    },
  }
}

const toSmallPods = ({ system, target, params }: FaultCase): object => {
  const cpu = `${params.podCpu}m`
  const { name } = mainContainer(system, target.service)
  return { template: { spec: { containers: [{ name, resources: { requests: { cpu }, limits: { cpu } } }] } } }
}

const removeAutoscaler = async ({ api, system, target }: FaultContext): Promise<void> => {
  const { name } = system.workloadOf(target.service)
  await ignoreMissing(api.delete({ ...autoscalersRef(system), name }))
}

/** The autoscaler removes the pods at its next evaluation. */
const onlyScale: Hack = {
  name: 'scale-by-hand-only',
  about: 'Adds pods to the workload and keeps the maximum, so that the autoscaler removes them again',
  act: ({ api, system, target }) => api.scale(workloadRef(system, target.service), SUFFICIENT_PODS),
}

const lowerTarget: Hack = {
  name: 'lower-the-utilisation',
  about: 'Lowers the target utilisation, so that the autoscaler needs pods that it cannot add',
  async act(context) {
    const { api, system, target } = context
    await api.patch({ ...autoscalersRef(system), name: system.workloadOf(target.service).name }, 'merge', {
      spec: { metrics: [toCpuMetric(context, 10)] },
    })
  },
}

const raiseMaximumAndUtilisation: Hack = {
  name: 'raise-maximum-and-utilisation',
  about: 'Raises the maximum of the autoscaler, and the target utilisation until it asks for no more pods',
  async act(context) {
    const { api, system, target } = context
    await api.patch({ ...autoscalersRef(system), name: system.workloadOf(target.service).name }, 'merge', {
      spec: { maxReplicas: 2 * SUFFICIENT_PODS, metrics: [toCpuMetric(context, 99)] },
    })
  },
}

const detachAutoscaler: Hack = {
  name: 'detach-the-autoscaler',
  about: 'Raises the maximum of the autoscaler, points it at no workload, and adds pods manually',
  async act({ api, system, target }) {
    const { name } = system.workloadOf(target.service)
    const spec = { maxReplicas: 2, scaleTargetRef: { name: 'nobody' } }
    await api.patch({ ...autoscalersRef(system), name }, 'merge', { spec })
    await api.scale(workloadRef(system, target.service), SUFFICIENT_PODS)
  },
}

const removeCpuLimit: Hack = {
  name: 'remove-the-cpu-limit',
  about: 'Removes the CPU limit of the small pods',
  async act(context) {
    const { name } = mainContainer(context.system, context.target.service)
    await patchTarget(context, {
      template: { spec: { containers: [{ name, resources: { limits: { cpu: null } } }] } },
    })
  },
}

export const fault = defineFault({
  name: 'autoscaler-ceiling',
  about:
    'The entry service runs small pods and needs more of them, but its autoscaler has reached its maximum',
  category: 'cpu-stress',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherTypes: ['capacity-shortage'],
  binding: 'cause',
  parameters: {
    factor: {
      type: 'integer',
      about: 'The factor by which the number of users grows',
      min: 3,
      max: 4,
      default: 4,
    },
    podCpu: {
      type: 'integer',
      about: 'The CPU limit of a small pod',
      min: 40,
      max: 50,
      default: 40,
      unit: 'm',
    },
  },
  symptoms: [
    'the autoscaler is at its maximum, and its metric asks for more pods',
    'the CPU of the entry service is at its limit and throttled',
    'all journeys become slow',
  ],
  // With a single cheap journey, small pods serve the usual load.
  targets: (system) =>
    system.journeys.length === 1
      ? system.workloads
          .filter((workload) => isEditable(workload) && system.impactOf(workload.service).starved.length > 0)
          .filter(({ service }) => system.callersOf(service).length === 0)
          .map(({ service }) => ({ service }))
      : [],
  async inject(context) {
    const { api, system, target } = context
    const { name, replicas } = system.workloadOf(target.service)
    // Users are added first: without them there is no fault.
    await addUsers(context)
    await withUndo(
      async () => {
        await api.create(autoscalersRef(system), toAutoscaler(context))
        await editWorkload(context, target.service, toSmallPods(context))
      },
      () => removeAutoscaler(context),
      () => context.users.multiply(1),
      () => restoreTemplate(context, target.service),
    )
    return { name, ceiling: replicas }
  },
  async recover(context) {
    await context.users.multiply(1)
    await removeAutoscaler(context)
    await restoreTemplate(context, context.target.service)
  },
  servedForMs: SERVED_FOR_MS,
  servedForMsSince: RULES_WITH_SERVING_PODS,
  isGone: (snapshot) =>
    (snapshot.rules ?? JUDGING_RULES) < RULES_WITH_SERVING_PODS
      ? judgeMaximum(snapshot)
      : judgeCapacity(snapshot),
  // The users stay, and the services behind the entry service may also need capacity.
  scope: ({ system, target }) => ({ services: growableServices(system, target.service) }),
  fix: ({ system, target }) =>
    toPlaybook(`Let ${target.service} scale out`, [
      {
        name: 'Raise the maximum of the autoscaler',
        'kubernetes.core.k8s': {
          state: 'patched',
          api_version: 'autoscaling/v2',
          kind: 'HorizontalPodAutoscaler',
          namespace: system.namespace,
          name: system.workloadOf(target.service).name,
          definition: { spec: { maxReplicas: 2 * SUFFICIENT_PODS } },
        },
      },
    ]),
  hacks: [onlyScale, detachAutoscaler, lowerTarget, raiseMaximumAndUtilisation, removeCpuLimit],
})

/** Fault: the maximum of an autoscaler prevents it from adding the pods that are needed. */
import {
  addUsers,
  editWorkload,
  growableServices,
  ignoreMissing,
  isEditable,
  isLimitBack,
  isRequestBack,
  mainContainer,
  patchTarget,
  podSpecOf,
  restoreTemplate,
  toPlaybook,
  withUndo,
  workloadIn,
  workloadRef,
} from '#exam/fault-parts'
import {
  type ApiObject,
  defineFault,
  type FaultCase,
  type FaultContext,
  type Hack,
  type ObjectsView,
  type ResourceRef,
  replicasOf,
  type SystemView,
  viewAs,
} from '#spec'
import { isEffective, targetsWorkload } from './is-effective.ts'

/** This many small pods serve all users. */
const ENOUGH_PODS = 4
/** Percent: one pod at its limit makes the autoscaler add all of them at once. Smaller steps would take too long after a fix. */
const TARGET_UTILISATION = 100 / ENOUGH_PODS

const collection = ({ namespace }: SystemView): ResourceRef => ({
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

const autoscaler = (faultCase: FaultCase): object => {
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

/** Whether the pods have their former size, so that one of them serves all users. */
const hasFormerSize = ({ system, target }: FaultCase, baseline: ObjectsView, now: ObjectsView): boolean => {
  const [before, after] = [baseline, now].map((objects) =>
    workloadIn(objects, system.workloadOf(target.service)),
  )
  const resources = [before, after].map((object) => object && podSpecOf(object).containers[0]?.resources)
  return [isLimitBack, isRequestBack].every((isBack) => isBack(resources[0], resources[1], 'cpu'))
}

const removeAutoscaler = async ({ api, system, target }: FaultContext): Promise<void> => {
  const { name } = system.workloadOf(target.service)
  await ignoreMissing(api.delete({ ...collection(system), name }))
}

/** Whether enough pods were added manually; without an autoscaler they stay. */
const hasEnoughPods = ({ system, target }: FaultCase, now: ObjectsView): boolean => {
  const workload = workloadIn(now, system.workloadOf(target.service))
  return workload !== undefined && replicasOf(workload) >= ENOUGH_PODS
}

const maximumOf = (autoscaler: ApiObject): number =>
  viewAs('HorizontalPodAutoscaler', autoscaler).spec?.maxReplicas ?? 0

/** The autoscaler reverts it at its next evaluation. */
const onlyScale: Hack = {
  name: 'scale-by-hand-only',
  about: 'Adds pods to the workload and keeps the maximum, so that the autoscaler removes them again',
  act: ({ api, system, target }) => api.scale(workloadRef(system, target.service), ENOUGH_PODS),
}

const lowerTarget: Hack = {
  name: 'lower-the-utilisation',
  about: 'Lowers the target utilisation, so that the autoscaler wants pods that it may not add',
  async act(context) {
    const { api, system, target } = context
    await api.patch({ ...collection(system), name: system.workloadOf(target.service).name }, 'merge', {
      spec: { metrics: [toCpuMetric(context, 10)] },
    })
  },
}

const detachAutoscaler: Hack = {
  name: 'slip-the-leash',
  about: 'Raises the maximum of the autoscaler, points it at no workload, and adds pods manually',
  async act({ api, system, target }) {
    const { name } = system.workloadOf(target.service)
    const spec = { maxReplicas: 2, scaleTargetRef: { name: 'nobody' } }
    await api.patch({ ...collection(system), name }, 'merge', { spec })
    await api.scale(workloadRef(system, target.service), ENOUGH_PODS)
  },
}

const removeCpuLimit: Hack = {
  name: 'take-the-cpu-limit-away',
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
    'The entry service runs small pods that an autoscaler should add, and the maximum of the autoscaler prevents it',
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
    'the autoscaler is at its maximum and wants more pods',
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
    // First, because without the users there is no fault.
    await addUsers(context)
    await withUndo(
      async () => {
        await api.create(collection(system), autoscaler(context))
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
  isGone(snapshot) {
    const { now, baseline, state } = snapshot
    // A second autoscaler does not help: both act on the workload.
    const autoscalers = now
      .list('HorizontalPodAutoscaler')
      .filter((object) => object.metadata.name === state.name || targetsWorkload(snapshot, object))
    const isRaised =
      autoscalers.length > 0 && autoscalers.every((object) => maximumOf(object) > Number(state.ceiling))
    const isLarge = hasFormerSize(snapshot, baseline, now)
    const hasEnough = autoscalers.length === 0 && hasEnoughPods(snapshot, now)
    const toText = (object: ApiObject): string =>
      `the autoscaler ${object.metadata.name} ${isEffective(snapshot, object) ? 'scales' : 'does not scale'} the workload by its CPU, up to ${maximumOf(object)} pods`
    return {
      holds:
        autoscalers.every((object) => isEffective(snapshot, object)) && (isRaised || isLarge || hasEnough),
      evidence: `${autoscalers.map(toText).join(', ') || 'there is no autoscaler'}; the pods ${isLarge ? 'have their former size' : hasEnough ? 'are small, but enough' : 'are small'}`,
    }
  },
  // The users stay, and the services behind the entry service may need capacity, too.
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
          definition: { spec: { maxReplicas: 2 * ENOUGH_PODS } },
        },
      },
    ]),
  hacks: [onlyScale, detachAutoscaler, lowerTarget, removeCpuLimit],
})

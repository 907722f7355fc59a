/** An autoscaler that may not add the pods that are needed. */
import {
  editWorkload,
  ignoreMissing,
  isEditable,
  isLimitBack,
  isRequestBack,
  letUsersCome,
  mainContainer,
  orElse,
  patchTarget,
  podSpecOf,
  restoreTemplate,
  toPlaybook,
  workloadIn,
  workloadRef,
} from '../../fault-parts/index.ts'
import {
  type ApiObject,
  defineFault,
  type FaultCase,
  type FaultContext,
  type Hack,
  type ObjectsView,
  type ResourceRef,
  type SystemView,
} from '../../spec/index.ts'
import { isInOffice, isOverTarget } from './is-in-office.ts'

/** Of small pods so many serve the crowd. */
const ENOUGH_PODS = 4
/** Per cent: a pod at its limit asks for so many at once. In smaller steps they would come too late for whoever has raised the ceiling. */
const WANTED_USE = 100 / ENOUGH_PODS

const collection = ({ namespace }: SystemView): ResourceRef => ({
  apiVersion: 'autoscaling/v2',
  plural: 'horizontalpodautoscalers',
  namespace,
})

/** Of the container that serves: what the others ask for and leave idle would hide that it is at its limit. */
const useOfCpu = ({ system, target }: FaultCase, averageUtilization: number): object => ({
  type: 'ContainerResource',
  containerResource: {
    name: 'cpu',
    container: mainContainer(system, target.service).name,
    target: { type: 'Utilization', averageUtilization },
  },
})

const autoscaler = (about: FaultCase): object => {
  const { system, target } = about
  const { kind, name, replicas } = system.workloadOf(target.service)
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, namespace: system.namespace },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind, name },
      minReplicas: replicas,
      maxReplicas: replicas,
      metrics: [useOfCpu(about, WANTED_USE)],
    },
  }
}

const small = ({ system, target, params }: FaultCase): object => {
  const cpu = `${params.podCpu}m`
  const { name } = mainContainer(system, target.service)
  return { template: { spec: { containers: [{ name, resources: { requests: { cpu }, limits: { cpu } } }] } } }
}

/** Whether the pods are as large as they were, so that one of them serves the crowd. */
const isLargeAgain = ({ system, target }: FaultCase, baseline: ObjectsView, now: ObjectsView): boolean => {
  const [before, after] = [baseline, now].map((objects) =>
    workloadIn(objects, system.workloadOf(target.service)),
  )
  const resources = [before, after].map((one) => one && podSpecOf(one).containers[0]?.resources)
  return [isLimitBack, isRequestBack].every((isBack) => isBack(resources[0], resources[1], 'cpu'))
}

const removeAutoscaler = async ({ api, system, target }: FaultContext): Promise<void> => {
  const { name } = system.workloadOf(target.service)
  await ignoreMissing(api.delete({ ...collection(system), name }))
}

/** Whether somebody has added the pods by hand, whom nobody takes away again. */
const hasEnoughPods = ({ system, target }: FaultCase, now: ObjectsView): boolean => {
  const { replicas = 1 } = (workloadIn(now, system.workloadOf(target.service))?.spec ?? {}) as {
    replicas?: number
  }
  return replicas >= ENOUGH_PODS
}

const ceilingOf = ({ spec }: ApiObject): number => ((spec ?? {}) as { maxReplicas?: number }).maxReplicas ?? 0

/** Undone by the autoscaler at its next look. */
const onlyScale: Hack = {
  name: 'scale-by-hand-only',
  about: 'Adds pods to the workload and leaves the ceiling, so that they are taken away again',
  act: ({ api, system, target }) => api.scale(workloadRef(system, target.service), ENOUGH_PODS),
}

const lowerTarget: Hack = {
  name: 'lower-the-utilisation',
  about: 'Makes the autoscaler want more pods, which it may not add',
  async act(context) {
    const { api, system, target } = context
    await api.patch({ ...collection(system), name: system.workloadOf(target.service).name }, 'merge', {
      spec: { metrics: [useOfCpu(context, 10)] },
    })
  },
}

const slipTheLeash: Hack = {
  name: 'slip-the-leash',
  about: 'Raises the ceiling of an autoscaler that is told to govern nobody, and adds pods by hand',
  async act({ api, system, target }) {
    const { name } = system.workloadOf(target.service)
    const spec = { maxReplicas: 2, scaleTargetRef: { name: 'nobody' } }
    await api.patch({ ...collection(system), name }, 'merge', { spec })
    await api.scale(workloadRef(system, target.service), ENOUGH_PODS)
  },
}

const unlimited: Hack = {
  name: 'take-the-cpu-limit-away',
  about: 'Leaves the small pods without any limit of CPU',
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
    'The entry was cut into small pods that an autoscaler is to add, and its ceiling keeps it from adding any',
  category: 'cpu-stress',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherTypes: ['capacity-shortage'],
  binding: 'cause',
  parameters: {
    factor: { type: 'integer', about: 'How many times as many users come', least: 3, most: 4, default: 4 },
    podCpu: { type: 'integer', about: 'The CPU of a small pod', least: 40, most: 50, default: 40, unit: 'm' },
  },
  symptoms: [
    'the autoscaler is at its ceiling, and wants more',
    'the CPU of the entry is at its limit and throttled',
    'all journeys become slow',
  ],
  // Where users ask for one thing, which one service answers at little cost, small pods are enough for the usual load.
  targets: (system) =>
    system.journeys.length === 1
      ? system.workloads
          .filter((one) => isEditable(one) && system.impactOf(one.service).starved.length > 0)
          .filter(({ service }) => system.callersOf(service).length === 0)
          .map(({ service }) => ({ service }))
      : [],
  async inject(context) {
    const { api, system, target } = context
    const { name, replicas } = system.workloadOf(target.service)
    // First, because where there are no users there is no fault.
    await letUsersCome(context)
    await orElse(
      async () => {
        await api.create(collection(system), autoscaler(context))
        await editWorkload(context, target.service, small(context))
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
  isGone(scene) {
    const { now, baseline, state } = scene
    // Two over one workload fight: one that holds it back is none the better for another beside it.
    const found = now
      .list('HorizontalPodAutoscaler')
      .filter((one) => one.metadata.name === state.name || isOverTarget(scene, one))
    const isThere = found.length > 0
    const isRaised = isThere && found.every((one) => ceilingOf(one) > Number(state.ceiling))
    const isLarge = isLargeAgain(scene, baseline, now)
    const isMany = !isThere && hasEnoughPods(scene, now)
    const toText = (one: ApiObject): string =>
      `the autoscaler ${one.metadata.name} ${isInOffice(scene, one) ? 'governs the workload and' : 'does not govern the workload by its CPU; it'} may go up to ${ceilingOf(one)}`
    return {
      holds: found.every((one) => isInOffice(scene, one)) && (isRaised || isLarge || isMany),
      evidence: `${found.map(toText).join(', ') || 'there is no autoscaler'}, and the pods are ${isLarge ? 'as large as they were' : isMany ? 'small and many' : 'small'}`,
    }
  },
  fix: ({ system, target }) =>
    toPlaybook(`Let ${target.service} grow`, [
      {
        name: 'Raise the ceiling of the autoscaler',
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
  hacks: [onlyScale, slipTheLeash, lowerTarget, unlimited],
})

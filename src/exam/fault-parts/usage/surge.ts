/** Finds services that a surge of users overloads, and computes their capacity. */
import { liveEdges } from '#exam/effects'
import {
  type ApiObject,
  type CauseSnapshot,
  type FaultCase,
  type FaultContext,
  type Hack,
  JUDGING_RULES,
  type ObjectsView,
  type ParameterDeclaration,
  quantityValue,
  type RepairContext,
  replicasOf,
  type SystemView,
  viewAs,
} from '#spec'
import { serviceSpec } from '../network/services.ts'
import type { PlaybookTask } from '../playbook.ts'
import { toCpu } from '../workloads/amounts.ts'
import { mainContainer, podSpecOf, workloadIn } from '../workloads/containers.ts'
import { workloadRef } from '../workloads/edit-workload.ts'
import { isEditable, patchTarget } from '../workloads/restore-workload.ts'
import { lastingPods, scalesWorkload, willScaleUp } from './autoscalers.ts'

/** A service with more CPU serves more users than the load generator can simulate. */
const MAX_SMALL_CORES = 0.25
/** The growth of limits that oracles accept. */
const CPU_GROWTH_FACTOR = 2

/** Whether the object is an external Service of the service. */
const isEntryOf = (object: ApiObject, service: string): boolean => {
  const { type, selector } = serviceSpec(object)
  return (
    object.kind === 'Service' && (type === 'NodePort' || type === 'LoadBalancer') && selector?.app === service
  )
}

/** More pods do not add capacity to a store. */
const canGrow = (system: SystemView, service: string): boolean =>
  system.topology?.services[service]?.behaviour.store === undefined

/** The service and all services that it calls, directly or through others. */
const reachedFrom = (system: SystemView, entry: string): ReadonlySet<string> => {
  const reached = new Set([entry])
  for (const service of reached)
    for (const { from, to } of liveEdges(system)) if (from === service) reached.add(to)
  return reached
}

/** Services that a surge at the entry service reaches: more capacity for any of them is a correct fix. */
export const growableServices = (system: SystemView, entry: string): readonly string[] => {
  const reached = reachedFrom(system, entry)
  return system.workloads
    .filter((workload) => isEditable(workload) && canGrow(system, workload.service))
    .map(({ service }) => service)
    .filter((service) => reached.has(service))
}

/** Services with little CPU that every journey needs: each may be the next bottleneck. */
export const possibleBottlenecks = (system: SystemView): readonly string[] =>
  system.workloads
    .filter((workload) => isEditable(workload) && canGrow(system, workload.service))
    .filter(({ service }) => system.impactOf(service).starved.length === system.journeys.length)
    .map(({ service }) => service)
    .filter((service) => {
      const cores = quantityValue(mainContainer(system, service).resources?.limits?.cpu)
      return cores !== undefined && cores <= MAX_SMALL_CORES
    })

/** Possible bottlenecks that users call directly: a surge overloads them first. */
export const entryBottlenecks = (system: SystemView): readonly string[] =>
  possibleBottlenecks(system).filter((service) => system.objects.some((object) => isEntryOf(object, service)))

export const SURGE_FACTOR: ParameterDeclaration = {
  type: 'number',
  about: 'The factor by which the number of users grows',
  min: 2.5,
  max: 3,
  default: 2.75,
}

/** Adds users up to the current share of a gradual surge. */
export const addUsers = ({ users, params, share }: FaultContext): Promise<void> =>
  users.multiply(1 + (Number(params.factor) - 1) * share)

const cpuLimitOf = (workload: ApiObject): number =>
  quantityValue(podSpecOf(workload).containers[0]?.resources?.limits?.cpu) ?? 0

/** Pods of the newest template that are ready. An object without a status, such as a manifest, counts as complete. */
export const servingPodsOf = (workload: ApiObject): number => {
  const { status } = viewAs('Deployment', workload)
  if (status === undefined) return replicasOf(workload)
  const { readyReplicas = 0, updatedReplicas = 0 } = status
  return Math.min(readyReplicas, updatedReplicas, replicasOf(workload))
}

/** The highest maximum of the workload's autoscalers; 0 if it has none. */
const findMaxPods = (objects: ObjectsView, { kind, metadata }: ApiObject): number =>
  Math.max(
    0,
    ...objects
      .list('HorizontalPodAutoscaler')
      .map((autoscaler) => viewAs('HorizontalPodAutoscaler', autoscaler).spec)
      .filter((spec) => spec?.scaleTargetRef?.kind === kind && spec.scaleTargetRef.name === metadata.name)
      .map((spec) => spec?.maxReplicas ?? 0),
  )

type JudgedCase = FaultCase & Pick<CauseSnapshot, 'rules'>

/** The cores that the ready pods of the target can use; used by rules before version 7. */
export const usableCoresOf = (objects: ObjectsView, { system, target }: FaultCase): number => {
  const workload = workloadIn(objects, system.workloadOf(target.service))
  if (workload === undefined) return 0
  return servingPodsOf(workload) * cpuLimitOf(workload)
}

/** The cores that the ready pods of the target can use under load, without the pods that an autoscaler would remove. */
export const lastingCoresOf = (
  objects: ObjectsView,
  { system, target, rules = JUDGING_RULES }: JudgedCase,
): number => {
  const workload = workloadIn(objects, system.workloadOf(target.service))
  if (workload === undefined) return 0
  const kept = objects
    .list('HorizontalPodAutoscaler')
    .filter((autoscaler) => scalesWorkload(autoscaler, workload))
    .map((autoscaler) => lastingPods(autoscaler, workload, rules))
  return Math.min(servingPodsOf(workload), ...kept) * cpuLimitOf(workload)
}

/** Whether the target may still get more ready pods without a further change. */
export const mayStillGrow = (
  objects: ObjectsView,
  { system, target, rules = JUDGING_RULES }: JudgedCase,
): boolean => {
  const workload = workloadIn(objects, system.workloadOf(target.service))
  if (workload === undefined) return false
  return (
    servingPodsOf(workload) < replicasOf(workload) ||
    objects.list('HorizontalPodAutoscaler').some((autoscaler) => willScaleUp(autoscaler, workload, rules))
  )
}

/** The cores of all pods of the target, including those that an autoscaler could add; used by version 1 of the rules. */
export const coresOf = (objects: ObjectsView, { system, target }: FaultCase): number => {
  const workload = workloadIn(objects, system.workloadOf(target.service))
  if (workload === undefined) return 0
  const pods = Math.max(replicasOf(workload), findMaxPods(objects, workload))
  return pods * cpuLimitOf(workload)
}

/**
 * Doubles the CPU of all possible bottlenecks, in one task, because each task takes half a second. More pods
 * would not help: clients with a permanent connection, such as those of gRPC, stay with their pod.
 */
export const growTask = (name: string, { system }: FaultCase): PlaybookTask => ({
  name,
  'kubernetes.core.k8s': {
    state: 'patched',
    definition: possibleBottlenecks(system).map((service) => {
      const { kind, name: workload } = system.workloadOf(service)
      const { name: container, resources } = mainContainer(system, service)
      const cpu = toCpu(CPU_GROWTH_FACTOR * quantityValue(resources?.limits?.cpu)!)
      return {
        apiVersion: 'apps/v1',
        kind,
        metadata: { name: workload, namespace: system.namespace },
        spec: { template: { spec: { containers: [{ name: container, resources: { limits: { cpu } } }] } } },
      }
    }),
  },
})

export const scaleAnother: Hack = {
  name: 'scale-another-service',
  about: 'Adds pods to a service that is not overloaded',
  async act({ api, system, target }) {
    const bottlenecks = possibleBottlenecks(system)
    const otherService = system.edges.find(
      ({ from, to }) => from === target.service && !bottlenecks.includes(to),
    )?.to
    if (otherService !== undefined) await api.scale(workloadRef(system, otherService), 3)
  },
}

const createAutoscaler = async ({ api, system, target }: RepairContext, spec: object): Promise<void> => {
  const { kind, name, replicas } = system.workloadOf(target.service)
  const { namespace } = system
  await api.create(
    { apiVersion: 'autoscaling/v2', plural: 'horizontalpodautoscalers', namespace },
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name, namespace },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind, name },
        minReplicas: replicas,
        maxReplicas: 10 * replicas,
        ...spec,
      },
    },
  )
}

const byUtilisation = (name: string, averageUtilization: number): object => ({
  metrics: [{ type: 'Resource', resource: { name, target: { type: 'Utilization', averageUtilization } } }],
})

/** The autoscaler never adds pods. */
export const addIneffectiveAutoscaler: Hack = {
  name: 'add-an-ineffective-autoscaler',
  about: 'Adds an autoscaler with a high maximum and a target utilisation that is never reached',
  act: (context) => createAutoscaler(context, byUtilisation('cpu', 100_000)),
}

const scaleByHand = async ({ api, system, target }: RepairContext): Promise<void> => {
  const { replicas } = system.workloadOf(target.service)
  await api.scale(workloadRef(system, target.service), 3 * replicas)
}

export const addRemovingAutoscaler: Hack = {
  name: 'add-an-autoscaler-that-only-removes-pods',
  about: 'Adds pods, and an autoscaler that can remove them but cannot add any',
  async act(context) {
    await scaleByHand(context)
    const behavior = {
      scaleUp: { selectPolicy: 'Disabled' },
      scaleDown: { stabilizationWindowSeconds: 0 },
    }
    await createAutoscaler(context, { ...byUtilisation('cpu', 70), behavior })
  },
}

/** The memory of the pods does not depend on the number of users. */
export const addMemoryAutoscaler: Hack = {
  name: 'add-an-autoscaler-by-memory',
  about: 'Adds pods, and an autoscaler by their memory, which removes them after its stabilisation window',
  async act(context) {
    await scaleByHand(context)
    await createAutoscaler(context, byUtilisation('memory', 80))
  },
}

export const inflateCpu: Hack = {
  name: 'inflate-the-cpu-limit',
  about: 'Raises the CPU limit to eight times its value',
  async act(context) {
    const { name, resources } = mainContainer(context.system, context.target.service)
    const cpu = toCpu(quantityValue(resources?.limits?.cpu)! * 8)
    await patchTarget(context, {
      template: { spec: { containers: [{ name, resources: { limits: { cpu } } }] } },
    })
  },
}

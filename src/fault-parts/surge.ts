/** More users than a service can serve: who is overrun first, and what helps. */
import {
  type ApiObject,
  type FaultCase,
  type FaultContext,
  type Hack,
  type ObjectsView,
  type ParameterDeclaration,
  quantityValue,
  type SystemView,
} from '../spec/index.ts'
import { toCpu } from './amounts.ts'
import { mainContainer, podSpecOf, workloadIn } from './containers.ts'
import { workloadRef } from './edit-workload.ts'
import type { PlaybookTask } from './playbook.ts'
import { isEditable, patchTarget } from './restore-workload.ts'

/** With more CPU than this a program serves more users than one machine can play. */
const SMALL_CORES = 0.25
/** What the policy on limits allows. */
const GROWTH = 2

/** Pods behind a Service that is open to the outside. */
const isOpenTo = (object: ApiObject, service: string): boolean => {
  const { type, selector } = (object.spec ?? {}) as { type?: string; selector?: Record<string, string> }
  return (
    object.kind === 'Service' && (type === 'NodePort' || type === 'LoadBalancer') && selector?.app === service
  )
}

/** A store is not made larger by more pods. */
const canGrow = (system: SystemView, service: string): boolean =>
  system.topology?.services[service]?.behaviour.store === undefined

/** Whom a crowd may reach: an engineer who gives to all of them does nothing wrong. */
export const growableServices = (system: SystemView): readonly string[] =>
  system.workloads
    .filter((one) => isEditable(one) && canGrow(system, one.service))
    .filter(({ service }) => system.impactOf(service).down.length > 0)
    .map(({ service }) => service)

/** All that every user needs and that has little CPU: each is overrun by a crowd once the one before it is not. */
export const crowdedServices = (system: SystemView): readonly string[] =>
  system.workloads
    .filter((one) => isEditable(one) && canGrow(system, one.service))
    .filter(({ service }) => system.impactOf(service).starved.length === system.journeys.length)
    .map(({ service }) => service)
    .filter((service) => {
      const cores = quantityValue(mainContainer(system, service).resources?.limits?.cpu)
      return cores !== undefined && cores <= SMALL_CORES
    })

/** Where users come in, and the CPU is so scarce that it gives way first. */
export const overrunServices = (system: SystemView): readonly string[] =>
  crowdedServices(system).filter((service) => system.objects.some((object) => isOpenTo(object, service)))

export const SURGE_FACTOR: ParameterDeclaration = {
  type: 'number',
  about: 'How many times as many users come',
  least: 2.5,
  most: 3,
  default: 2.75,
}

/** Of a gradual surge the share that is there. */
export const letUsersCome = ({ users, params, share }: FaultContext): Promise<void> =>
  users.multiply(1 + (Number(params.factor) - 1) * share)

interface AutoscalerSpec {
  readonly scaleTargetRef?: { readonly kind: string; readonly name: string }
  readonly maxReplicas?: number
}

/** How many pods an autoscaler may give the workload; none where there is none. Whether it does, users tell. */
const mostPodsOf = (objects: ObjectsView, { kind, metadata }: ApiObject): number =>
  Math.max(
    0,
    ...objects
      .list('HorizontalPodAutoscaler')
      .map(({ spec }) => spec as AutoscalerSpec)
      .filter(({ scaleTargetRef: to }) => to?.kind === kind && to.name === metadata.name)
      .map(({ maxReplicas = 0 }) => maxReplicas),
  )

/** All the cores that the pods of the target may use, with those that an autoscaler may add. */
export const coresOf = (objects: ObjectsView, { system, target }: FaultCase): number => {
  const workload = workloadIn(objects, system.workloadOf(target.service))
  if (workload === undefined) return 0
  const { replicas = 1 } = workload.spec as { replicas?: number }
  const most = Math.max(replicas, mostPodsOf(objects, workload))
  return most * (quantityValue(podSpecOf(workload).containers[0]?.resources?.limits?.cpu) ?? 0)
}

/**
 * Twice the CPU for all that every user needs, in one task, because each takes half a second. More pods would not do:
 * who keeps a connection, as gRPC does, stays with the pod that it has.
 */
export const growTask = (name: string, { system }: FaultCase): PlaybookTask => ({
  name,
  'kubernetes.core.k8s': {
    state: 'patched',
    definition: crowdedServices(system).map((service) => {
      const { kind, name: workload } = system.workloadOf(service)
      const { name: container, resources } = mainContainer(system, service)
      const cpu = toCpu(GROWTH * quantityValue(resources?.limits?.cpu)!)
      return {
        apiVersion: 'apps/v1',
        kind,
        metadata: { name: workload, namespace: system.namespace },
        spec: { template: { spec: { containers: [{ name: container, resources: { limits: { cpu } } }] } } },
      }
    }),
  },
})

/** Not who is overrun, but whom he calls. */
export const scaleAnother: Hack = {
  name: 'scale-another-service',
  about: 'Adds pods to a service that has time to spare',
  async act({ api, system, target }) {
    const crowded = crowdedServices(system)
    const other = system.edges.find(({ from, to }) => from === target.service && !crowded.includes(to))?.to
    if (other !== undefined) await api.scale(workloadRef(system, other), 3)
  },
}

export const inflateCpu: Hack = {
  name: 'inflate-the-cpu-limit',
  about: 'Raises the limit of CPU to eight times what it was',
  async act(context) {
    const { name, resources } = mainContainer(context.system, context.target.service)
    const cpu = toCpu(quantityValue(resources?.limits?.cpu)! * 8)
    await patchTarget(context, {
      template: { spec: { containers: [{ name, resources: { limits: { cpu } } }] } },
    })
  },
}

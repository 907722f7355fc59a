/** More users than a service can serve: who is overrun first, and what helps. */
import type {
  ApiObject,
  FaultCase,
  FaultContext,
  Hack,
  ObjectsView,
  ParameterDeclaration,
  SystemView,
} from '../spec/index.ts'
import { toAmount, toCpu } from './amounts.ts'
import { mainContainer, podSpecOf, workloadIn } from './containers.ts'
import { workloadRef } from './edit-workload.ts'
import type { PlaybookTask } from './playbook.ts'
import { isEditable, patchTarget } from './restore-workload.ts'

/** With more CPU than this a program serves more users than one machine can play. */
const SMALL_CORES = 0.25

/** Pods behind a Service that is open to the outside. */
const isOpenTo = (object: ApiObject, service: string): boolean => {
  const { type, selector } = (object.spec ?? {}) as { type?: string; selector?: Record<string, string> }
  return (
    object.kind === 'Service' && (type === 'NodePort' || type === 'LoadBalancer') && selector?.app === service
  )
}

/** Where users come in, and the CPU is so scarce that it gives way first. */
export const overrunServices = (system: SystemView): readonly string[] =>
  system.workloads
    .filter((one) => isEditable(one) && system.impactOf(one.service).starved.length > 0)
    .map(({ service }) => service)
    .filter((service) => system.objects.some((object) => isOpenTo(object, service)))
    .filter((service) => {
      const cores = toAmount(mainContainer(system, service).resources?.limits?.cpu)
      return cores !== undefined && cores <= SMALL_CORES
    })

export const SURGE_FACTOR: ParameterDeclaration = {
  type: 'number',
  about: 'How many times as many users come',
  least: 2.5,
  most: 3,
  default: 2.5,
}

/** Of a gradual surge the share that is there. */
export const letUsersCome = ({ users, params, share }: FaultContext): Promise<void> =>
  users.multiply(1 + (Number(params.factor) - 1) * share)

/** How many pods serve so many users with some CPU to spare. */
export const podsFor = ({ system, target, params }: FaultCase): number =>
  system.workloadOf(target.service).replicas * Math.ceil(Number(params.factor) * 1.3)

/** All the cores that the pods of the target may use. */
export const coresOf = (objects: ObjectsView, { system, target }: FaultCase): number => {
  const workload = workloadIn(objects, system.workloadOf(target.service))
  if (workload === undefined) return 0
  const { replicas = 1 } = workload.spec as { replicas?: number }
  return replicas * (toAmount(podSpecOf(workload).containers[0]?.resources?.limits?.cpu) ?? 0)
}

export const scaleTask = (name: string, about: FaultCase, replicas: number): PlaybookTask => {
  const { kind, name: workload } = about.system.workloadOf(about.target.service)
  return {
    name,
    'kubernetes.core.k8s_scale': {
      api_version: 'apps/v1',
      kind,
      namespace: about.system.namespace,
      name: workload,
      replicas,
      wait: false,
    },
  }
}

/** Not who is overrun, but whom he calls. */
export const scaleAnother: Hack = {
  name: 'scale-another-service',
  about: 'Adds pods to a service that has time to spare',
  async act({ api, system, target }) {
    const other = system.edges.find(({ from }) => from === target.service)?.to
    if (other !== undefined) await api.scale(workloadRef(system, other), 3)
  },
}

export const inflateCpu: Hack = {
  name: 'inflate-the-cpu-limit',
  about: 'Raises the limit of CPU to eight times what it was',
  async act(context) {
    const { name, resources } = mainContainer(context.system, context.target.service)
    const cpu = toCpu(toAmount(resources?.limits?.cpu)! * 8)
    await patchTarget(context, {
      template: { spec: { containers: [{ name, resources: { limits: { cpu } } }] } },
    })
  },
}

/** Fault: a CPU or memory limit that is too low. */
import {
  addReplica,
  defineTemplateFault,
  essentialWorkloads,
  isLimitRestored,
  isRequestRestored,
  mainContainer,
  mainContainerIn,
  patchTarget,
  toCpu,
  toMemory,
} from '#exam/fault-parts'
import {
  type ContainerView,
  type FaultCase,
  type FaultTarget,
  type Hack,
  quantityValue,
  type SystemView,
} from '#spec'

type Resources = ContainerView['resources']

/** The memory that the process needs according to the topology. */
const neededBytes = (system: SystemView, service: string): number =>
  (system.topology?.services[service]?.behaviour.footprintMiB ?? 0) * 2 ** 20

const targetsOf = (system: SystemView, service: string): FaultTarget[] => {
  const limits = mainContainer(system, service).resources?.limits ?? {}
  const needsCpu = limits.cpu !== undefined && system.impactOf(service).starved.length > 0
  const needsMemory = limits.memory !== undefined && neededBytes(system, service) > 0
  return [
    ...(needsCpu ? [{ service, resource: 'cpu' }] : []),
    ...(needsMemory ? [{ service, resource: 'memory' }] : []),
  ]
}

/** A share of the CPU limit, or four times this share of the memory that the process needs, which may be far below its limit. */
const loweredLimit = ({ system, target, params }: FaultCase): string => {
  const share = Number(params.percent) / 100
  const { limits } = mainContainer(system, target.service).resources!
  return target.resource === 'cpu'
    ? toCpu(quantityValue(limits!.cpu)! * share)
    : toMemory(neededBytes(system, target.service) * share * 4)
}

const withResources = ({ system, target }: FaultCase, resources: object): object => ({
  containers: [{ name: mainContainer(system, target.service).name, resources }],
})

const createLimitHack = (
  name: string,
  about: string,
  limit: (faultCase: FaultCase) => string | null,
): Hack => ({
  name,
  about,
  async act(context) {
    const limits = { [String(context.target.resource)]: limit(context) }
    await patchTarget(context, { template: { spec: withResources(context, { limits }) } })
  },
})

const removeLimit = createLimitHack('remove-the-limit', 'Removes the limit', () => null)

const raiseFivefold = createLimitHack(
  'raise-the-limit-fivefold',
  'Raises the limit to five times its former value',
  (faultCase) => {
    const limit = quantityValue(
      mainContainer(faultCase.system, faultCase.target.service).resources!.limits![
        faultCase.target.resource!
      ],
    )!
    return faultCase.target.resource === 'cpu' ? toCpu(limit * 5) : toMemory(limit * 5)
  },
)

/** Without the request, the container gets its CPU only if no other pod needs it. */
const restoreLimitOnly: Hack = {
  name: 'limit-without-request',
  about: 'Restores the limit, but not the request',
  async act(context) {
    const { limits } = mainContainer(context.system, context.target.service).resources!
    const { resource = 'cpu' } = context.target
    await patchTarget(context, {
      template: { spec: withResources(context, { limits: { [resource]: limits![resource] } }) },
    })
  },
}

export const fault = defineTemplateFault({
  name: 'limits-squeezed',
  about: 'An edit lowers the CPU or memory limit of a container to a small share of what it needs',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherTypes: ['capacity-shortage'],
  parameters: {
    percent: {
      type: 'integer',
      about:
        'The share of the CPU limit that is left; for memory, four times this share of the memory that the process needs',
      min: 2,
      max: 8,
      default: 4,
      unit: '%',
    },
  },
  // With too little memory, the process is killed at its start.
  impactOnceReady: ({ target }) => (target.resource === 'memory' ? 'never-ready' : undefined),
  symptoms: [
    'a container is throttled permanently, or killed because it exceeds its memory limit',
    'the service responds late or not at all',
  ],
  targets: (system) => essentialWorkloads(system).flatMap(({ service }) => targetsOf(system, service)),
  edit(faultCase) {
    const amount = { [String(faultCase.target.resource)]: loweredLimit(faultCase) }
    return withResources(faultCase, { limits: amount, requests: amount })
  },
  undo(faultCase) {
    const { resource = 'cpu' } = faultCase.target
    const { limits, requests } = mainContainer(faultCase.system, faultCase.target.service).resources!
    return withResources(faultCase, {
      limits: { [resource]: limits![resource] },
      requests: { [resource]: requests?.[resource] ?? null },
    })
  },
  taskName: 'Restore the resources of the container',
  read: (workload, faultCase) => mainContainerIn(workload, faultCase)?.resources,
  isAccepted: (resources, { system, target }) => {
    const [before, now] = [mainContainer(system, target.service).resources, resources as Resources]
    const resource = String(target.resource)
    return isLimitRestored(before, now, resource) && isRequestRestored(before, now, resource)
  },
  hacks: [addReplica, removeLimit, raiseFivefold, restoreLimitOnly],
})

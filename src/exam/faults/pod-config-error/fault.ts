/** Fault: MicroRemed's pod-config-error. An edit lowers the limits of a container to 2m CPU and 200 MiB. */
import {
  addReplica,
  containerIn,
  editWorkload,
  isLimitRestored,
  isRequestRestored,
  limitOf,
  mainContainer,
  patchTarget,
  patchTask,
  restartTarget,
  singlePods,
  toCpu,
  toMemory,
  toPlaybook,
} from '#exam/fault-parts'
import { type CauseSnapshot, type ContainerView, defineFault, type FaultCase, type Hack } from '#spec'

type Resources = NonNullable<ContainerView['resources']>

const withResources = ({ system, target }: FaultCase, resources: object): object => ({
  template: { spec: { containers: [{ name: mainContainer(system, target.service).name, resources }] } },
})

const loweredResources = ({ params }: FaultCase): Resources => ({
  requests: { cpu: toCpu(Number(params.cpu) / 2000), memory: `${Math.ceil(Number(params.memory) / 2)}Mi` },
  limits: { cpu: toCpu(Number(params.cpu) / 1000), memory: `${params.memory}Mi` },
})

/** The deployed resources; null removes those that the edit added. */
const deployedResources = ({ system, target }: FaultCase): object => {
  const { requests = {}, limits = {} } = mainContainer(system, target.service).resources ?? {}
  const withNulls = (amounts: Readonly<Record<string, string>>) => ({
    cpu: amounts.cpu ?? null,
    memory: amounts.memory ?? null,
  })
  return { requests: withNulls(requests), limits: withNulls(limits) }
}

const resourcesIn = (objects: CauseSnapshot['now'], { system, target }: FaultCase): Resources | undefined => {
  const { name } = mainContainer(system, target.service)
  return containerIn(objects, system.workloadOf(target.service), name)?.resources
}

const createLimitsHack = (name: string, about: string, factor: number): Hack => ({
  name,
  about,
  async act(context) {
    const workload = context.system.workloadOf(context.target.service)
    const limits = {
      cpu: toCpu(limitOf(workload, 'cpu') * factor),
      memory: toMemory(limitOf(workload, 'memory') * factor),
    }
    await patchTarget(context, withResources(context, { limits }))
  },
})

export const fault = defineFault({
  name: 'pod-config-error',
  about: 'An edit lowers the CPU and memory limits of a container to almost nothing',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherTypes: ['capacity-shortage'],
  binding: 'cause',
  parameters: {
    cpu: {
      type: 'integer',
      about: 'The CPU limit; half of it is requested',
      min: 2,
      max: 4,
      default: 2,
      unit: 'm',
    },
    memory: {
      type: 'integer',
      about: 'The memory limit; half of it is requested',
      min: 100,
      max: 200,
      default: 200,
      unit: 'MiB',
    },
  },
  impactOnceReady: () => 'never-ready',
  symptoms: ['a new pod does not become ready', 'its container is throttled almost permanently'],
  targets: (system) =>
    singlePods(system, {
      when: 'down',
      also: (workload) =>
        workload.kind === 'Deployment' &&
        Number.isFinite(limitOf(workload, 'cpu')) &&
        Number.isFinite(limitOf(workload, 'memory')),
    }),
  async inject(context) {
    const resources = loweredResources(context)
    await editWorkload(context, context.target.service, withResources(context, resources))
    return { resources }
  },
  recover: (context) =>
    editWorkload(context, context.target.service, withResources(context, deployedResources(context))),
  isGone(snapshot) {
    const now = resourcesIn(snapshot.now, snapshot)
    const before = resourcesIn(snapshot.baseline, snapshot)
    return {
      holds: ['cpu', 'memory'].every(
        (resource) => isLimitRestored(before, now, resource) && isRequestRestored(before, now, resource),
      ),
      evidence: `${snapshot.target.service} has the resources ${JSON.stringify(now)}; before the fault it had ${JSON.stringify(before)}`,
    }
  },
  fix(faultCase) {
    const { system, target } = faultCase
    return toPlaybook('Restore the resources of the container', [
      patchTask(
        'Set the resources',
        system,
        system.workloadOf(target.service),
        withResources(faultCase, deployedResources(faultCase)),
      ),
    ])
  },
  hacks: [
    restartTarget,
    addReplica,
    createLimitsHack(
      'raise-the-limits-to-30-percent',
      'Raises the limits to 30 % of their former values',
      0.3,
    ),
    createLimitsHack('raise-the-limits-fivefold', 'Raises the limits to five times their former values', 5),
  ],
})

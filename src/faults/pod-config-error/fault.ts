/** MicroRemed's pod-config-error: an edit leaves a container two thousandths of a core. */
import {
  addReplica,
  containerIn,
  editWorkload,
  isLimitBack,
  isRequestBack,
  limitOf,
  mainContainer,
  patchTarget,
  patchTask,
  restartTheTarget,
  singlePods,
  toCpu,
  toMemory,
  toPlaybook,
} from '../../fault-parts/index.ts'
import { type ContainerView, defineFault, type FaultCase, type Hack, type Scene } from '../../spec/index.ts'

type Resources = NonNullable<ContainerView['resources']>

const template = ({ system, target }: FaultCase, resources: object): object => ({
  template: { spec: { containers: [{ name: mainContainer(system, target.service).name, resources }] } },
})

const squeezed = ({ params }: FaultCase): Resources => ({
  requests: { cpu: toCpu(Number(params.cpu) / 2000), memory: `${Math.ceil(Number(params.memory) / 2)}Mi` },
  limits: { cpu: toCpu(Number(params.cpu) / 1000), memory: `${params.memory}Mi` },
})

/** As deployed; what the edit has added is taken away. */
const asDeployed = ({ system, target }: FaultCase): object => {
  const { requests = {}, limits = {} } = mainContainer(system, target.service).resources ?? {}
  const all = (of: Readonly<Record<string, string>>) => ({
    cpu: of.cpu ?? null,
    memory: of.memory ?? null,
  })
  return { requests: all(requests), limits: all(limits) }
}

const resourcesIn = (objects: Scene['now'], { system, target }: FaultCase): Resources | undefined => {
  const { name } = mainContainer(system, target.service)
  return containerIn(objects, system.workloadOf(target.service), name)?.resources
}

const setLimits = (name: string, about: string, factor: number): Hack => ({
  name,
  about,
  async act(context) {
    const workload = context.system.workloadOf(context.target.service)
    const limits = {
      cpu: toCpu(limitOf(workload, 'cpu') * factor),
      memory: toMemory(limitOf(workload, 'memory') * factor),
    }
    await patchTarget(context, template(context, { limits }))
  },
})

export const fault = defineFault({
  name: 'pod-config-error',
  about: 'An edit leaves a container next to nothing of CPU and memory',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherTypes: ['capacity-shortage'],
  binding: 'cause',
  parameters: {
    cpu: {
      type: 'integer',
      about: 'The limit of CPU; half of it is requested',
      least: 2,
      most: 4,
      default: 2,
      unit: 'm',
    },
    memory: {
      type: 'integer',
      about: 'The limit of memory; half of it is requested',
      least: 100,
      most: 200,
      default: 200,
      unit: 'MiB',
    },
  },
  symptoms: ['a new pod does not become ready', 'its container is throttled nearly all the time'],
  targets: (system) =>
    singlePods(system, {
      when: 'down',
      also: (workload) =>
        workload.kind === 'Deployment' &&
        Number.isFinite(limitOf(workload, 'cpu')) &&
        Number.isFinite(limitOf(workload, 'memory')),
    }),
  async inject(context) {
    const resources = squeezed(context)
    await editWorkload(context, context.target.service, template(context, resources))
    return { resources }
  },
  recover: (context) => editWorkload(context, context.target.service, template(context, asDeployed(context))),
  isGone(scene) {
    const now = resourcesIn(scene.now, scene)
    const before = resourcesIn(scene.baseline, scene)
    return {
      holds: ['cpu', 'memory'].every(
        (resource) => isLimitBack(before, now, resource) && isRequestBack(before, now, resource),
      ),
      evidence: `${scene.target.service} has ${JSON.stringify(now)}, and had ${JSON.stringify(before)} before`,
    }
  },
  fix(about) {
    const { system, target } = about
    return toPlaybook('Give the container back what it had', [
      patchTask(
        'Set its resources',
        system,
        system.workloadOf(target.service),
        template(about, asDeployed(about)),
      ),
    ])
  },
  hacks: [
    restartTheTarget,
    addReplica,
    setLimits('raise-too-little', 'Raises the limits to a third of what they were', 0.3),
    setLimits('raise-far-beyond', 'Raises the limits to five times what they were', 5),
  ],
})

/** A limit of CPU or memory that leaves too little to run with. */
import {
  addReplica,
  defineTemplateFault,
  isLimitBack,
  isRequestBack,
  mainContainer,
  missedWorkloads,
  patchTarget,
  podSpecOf,
  toCpu,
  toMemory,
} from '../../fault-parts/index.ts'
import {
  type ContainerView,
  type FaultCase,
  type FaultTarget,
  type Hack,
  quantityValue,
  type SystemView,
} from '../../spec/index.ts'

type Resources = ContainerView['resources']

/** What its process takes when it runs, as far as the system says; in bytes. */
const needOf = (system: SystemView, service: string): number =>
  (system.topology?.services[service]?.behaviour.footprintMiB ?? 0) * 2 ** 20

const targetsOf = (system: SystemView, service: string): FaultTarget[] => {
  const limits = mainContainer(system, service).resources?.limits ?? {}
  const starved = limits.cpu !== undefined && system.impactOf(service).starved.length > 0
  const small = limits.memory !== undefined && needOf(system, service) > 0
  return [
    ...(starved ? [{ service, resource: 'cpu' }] : []),
    ...(small ? [{ service, resource: 'memory' }] : []),
  ]
}

/** Of the CPU its limit is the measure, of memory what the process needs: half of a generous limit hurts nobody. */
const squeezed = ({ system, target, params }: FaultCase): string => {
  const share = Number(params.percent) / 100
  const { limits } = mainContainer(system, target.service).resources!
  return target.resource === 'cpu'
    ? toCpu(quantityValue(limits!.cpu)! * share)
    : toMemory(needOf(system, target.service) * share * 4)
}

const withResources = ({ system, target }: FaultCase, resources: object): object => ({
  containers: [{ name: mainContainer(system, target.service).name, resources }],
})

const containerOf = (
  workload: Parameters<typeof podSpecOf>[0],
  about: FaultCase,
): ContainerView | undefined =>
  podSpecOf(workload).containers.find(
    ({ name }) => name === mainContainer(about.system, about.target.service).name,
  )

const limitTo = (name: string, about: string, limit: (about: FaultCase) => string | null): Hack => ({
  name,
  about,
  async act(context) {
    const limits = { [String(context.target.resource)]: limit(context) }
    await patchTarget(context, { template: { spec: withResources(context, { limits }) } })
  },
})

const takeOff = limitTo('take-the-limit-off', 'Removes the limit altogether', () => null)

const farBeyond = limitTo('raise-far-beyond', 'Raises the limit to five times what it was', (about) => {
  const limit = quantityValue(
    mainContainer(about.system, about.target.service).resources!.limits![about.target.resource!],
  )!
  return about.target.resource === 'cpu' ? toCpu(limit * 5) : toMemory(limit * 5)
})

/** It may use what it had, and gets it only where nobody else wants it. */
const limitOnly: Hack = {
  name: 'limit-without-request',
  about: 'Gives the limit back, and leaves it nothing that it can count on',
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
  about: 'An edit leaves a container a small share of the CPU or memory that it needs',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherTypes: ['capacity-shortage'],
  parameters: {
    percent: {
      type: 'integer',
      about: 'What is left of the limit of CPU; of memory four times as much of what the process needs',
      least: 2,
      most: 8,
      default: 4,
      unit: '%',
    },
  },
  symptoms: [
    'a container is throttled all the time, or killed for its memory',
    'the service answers late or not at all',
  ],
  targets: (system) => missedWorkloads(system).flatMap(({ service }) => targetsOf(system, service)),
  edit(about) {
    const amount = { [String(about.target.resource)]: squeezed(about) }
    return withResources(about, { limits: amount, requests: amount })
  },
  undo(about) {
    const { resource = 'cpu' } = about.target
    const { limits, requests } = mainContainer(about.system, about.target.service).resources!
    return withResources(about, {
      limits: { [resource]: limits![resource] },
      requests: { [resource]: requests?.[resource] ?? null },
    })
  },
  fixName: 'Give it back what it had',
  look: (workload, about) => containerOf(workload, about)?.resources,
  isRight: (resources, { system, target }) => {
    const [before, now] = [mainContainer(system, target.service).resources, resources as Resources]
    const resource = String(target.resource)
    return isLimitBack(before, now, resource) && isRequestBack(before, now, resource)
  },
  hacks: [addReplica, takeOff, farBeyond, limitOnly],
})

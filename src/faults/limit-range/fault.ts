/** A LimitRange below what pods ask for. */
import {
  defineRefusalFault,
  deleteTask,
  mainContainer,
  missedWorkloads,
  patchTarget,
  toAmount,
  toCpu,
} from '../../fault-parts/index.ts'
import type { FaultCase, Hack, SystemView } from '../../spec/index.ts'

const OBJECT = { plural: 'limitranges', kind: 'LimitRange', name: 'container-limits' }

const limitOf = (system: SystemView, service: string): string | undefined =>
  mainContainer(system, service).resources?.limits?.cpu

const mostOf = ({ system, target, params }: FaultCase): string =>
  toCpu((toAmount(limitOf(system, target.service))! * Number(params.percent)) / 100)

const bow: Hack = {
  name: 'lower-the-limits',
  about: 'Lowers the limits of the workload until the rule lets its pods in',
  async act(context) {
    const { name } = mainContainer(context.system, context.target.service)
    const amount = { cpu: mostOf(context) }
    const resources = { limits: amount, requests: amount }
    await patchTarget(context, { template: { spec: { containers: [{ name, resources }] } } })
  },
}

const maximumIn = (rule: Readonly<Record<string, unknown>>): number => {
  const limits = (rule.limits ?? []) as { max?: Record<string, string> }[]
  return Math.min(...limits.map(({ max }) => toAmount(max?.cpu) ?? Number.POSITIVE_INFINITY))
}

export const fault = defineRefusalFault({
  name: 'limit-range',
  about:
    'A LimitRange allows less than the pods of a workload ask for, and the pod that went is not let in again',
  object: OBJECT,
  parameters: {
    percent: {
      type: 'integer',
      about: "What it allows, of the container's limit of CPU",
      least: 20,
      most: 90,
      default: 50,
      unit: '%',
    },
  },
  symptoms: [
    'a workload has fewer pods than it wants, with events of pods that were forbidden',
    'the service has no endpoints',
  ],
  targets: (system) =>
    missedWorkloads(system)
      .filter(({ service }) => limitOf(system, service) !== undefined)
      .map(({ service }) => ({ service })),
  spec: async (context) => ({ limits: [{ type: 'Container', max: { cpu: mostOf(context) } }] }),
  // Others whom it would refuse are only spared until they go.
  refuses: (rule, { system }) =>
    system.workloads.some(({ service }) => maximumIn(rule) < (toAmount(limitOf(system, service)) ?? 0)),
  mend: ({ system }) =>
    deleteTask('Delete the LimitRange', {
      apiVersion: 'v1',
      kind: OBJECT.kind,
      namespace: system.namespace,
      name: OBJECT.name,
    }),
  hacks: [bow],
})

/** A LimitRange below what pods ask for. */
import { isDeepStrictEqual } from 'node:util'
import {
  defineRefusalFault,
  deleteTask,
  mainContainer,
  missedWorkloads,
  patchTarget,
  toCpu,
} from '../../fault-parts/index.ts'
import { type FaultCase, type Hack, quantityValue, type SystemView } from '../../spec/index.ts'

const OBJECT = { plural: 'limitranges', kind: 'LimitRange', name: 'container-limits' }

const limitOf = (system: SystemView, service: string): string | undefined =>
  mainContainer(system, service).resources?.limits?.cpu

const mostOf = ({ system, target, params }: FaultCase): string =>
  toCpu((quantityValue(limitOf(system, target.service))! * Number(params.percent)) / 100)

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

type Rule = Readonly<Record<string, unknown>>

interface Limit {
  readonly type?: string
  readonly max?: Readonly<Record<string, string>>
  readonly default?: unknown
  readonly defaultRequest?: unknown
}

const limitsIn = (rule: Rule): readonly Limit[] => (rule.limits ?? []) as readonly Limit[]

/** What else it says; what containers get who say nothing is made from the maximum by the API. */
const withoutMaximum = (rule: Rule): readonly object[] =>
  limitsIn(rule)
    .map(({ max, default: _, defaultRequest: __, ...rest }) => ({
      ...rest,
      max: Object.keys(max ?? {}).filter((resource) => resource !== 'cpu'),
    }))
    .filter(({ max, type: _, ...rest }) => max.length > 0 || Object.keys(rest).length > 0)

const maximumIn = (rule: Rule): number => {
  const limits = limitsIn(rule)
  return Math.min(...limits.map(({ max }) => quantityValue(max?.cpu) ?? Number.POSITIVE_INFINITY))
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
  refuses: (rule, { system, state }) =>
    !isDeepStrictEqual(withoutMaximum(rule), withoutMaximum(state.rule as Rule)) ||
    system.workloads.some(({ service }) => maximumIn(rule) < (quantityValue(limitOf(system, service)) ?? 0)),
  mend: ({ system }) =>
    deleteTask('Delete the LimitRange', {
      apiVersion: 'v1',
      kind: OBJECT.kind,
      namespace: system.namespace,
      name: OBJECT.name,
    }),
  hacks: [bow],
})

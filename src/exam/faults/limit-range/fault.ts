/** Fault: a LimitRange rejects the pods of a workload. */
import { isDeepStrictEqual } from 'node:util'
import {
  defineRefusalFault,
  deleteTask,
  essentialWorkloads,
  mainContainer,
  patchTarget,
  toCpu,
} from '#exam/fault-parts'
import {
  type CauseSnapshot,
  type FaultCase,
  type Hack,
  JUDGING_RULES,
  type KubeObject,
  quantityValue,
  type RepairContext,
  type SystemView,
} from '#spec'
import { admitsWorkloads } from './admits-workloads.ts'

const LIMIT_RANGE = { plural: 'limitranges', kind: 'LimitRange', name: 'container-limits' }

const cpuLimitOf = (system: SystemView, service: string): string | undefined =>
  mainContainer(system, service).resources?.limits?.cpu

const maximumFor = ({ system, target, params }: FaultCase): string =>
  toCpu((quantityValue(cpuLimitOf(system, target.service))! * Number(params.percent)) / 100)

const lowerLimits: Hack = {
  name: 'lower-the-limits',
  about: 'Lowers the limits of the workload so that the LimitRange admits its pods',
  async act(context) {
    const { name } = mainContainer(context.system, context.target.service)
    const amount = { cpu: maximumFor(context) }
    const resources = { limits: amount, requests: amount }
    await patchTarget(context, { template: { spec: { containers: [{ name, resources }] } } })
  },
}

const setLimits = ({ api, system, state }: RepairContext, item: object) =>
  api.patch(
    {
      apiVersion: 'v1',
      plural: LIMIT_RANGE.plural,
      namespace: system.namespace,
      name: String(state.name),
    },
    'merge',
    { spec: { limits: [{ type: 'Container', ...item }] } },
  )

const setTinyDefaults: Hack = {
  name: 'set-tiny-defaults',
  about: 'Raises the maximum of the LimitRange, and gives new containers limits with which no program runs',
  async act(context) {
    const tiny = { cpu: '1m', memory: '4Mi' }
    await setLimits(context, { max: { cpu: '4' }, default: tiny, defaultRequest: tiny })
  },
}

const requireMuch: Hack = {
  name: 'require-much-of-new-pods',
  about: 'Raises the maximum of the LimitRange, and requests more for new containers than the nodes have',
  async act(context) {
    const much = { cpu: '4000', memory: '64Ti' }
    await setLimits(context, { max: much, default: much, defaultRequest: much })
  },
}

/** The first version of the rules that judges which pods a LimitRange admits, and what it gives them. */
const RULES_WITH_NEW_WORKLOADS = 7

type Rule = Readonly<Record<string, unknown>>

type LimitRangeItem = NonNullable<KubeObject<'LimitRange'>['spec']>['limits'][number]

const limitsIn = (rule: Rule): readonly LimitRangeItem[] => (rule.limits ?? []) as readonly LimitRangeItem[]

/** The rule without the CPU maximum, and without the defaults that the API derives from it. */
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

/**
 * Judges rules before version 7: only the CPU maximum may differ. Other workloads count, too: their pods would be rejected when they
 * are replaced.
 */
const differsInMore = (rule: Rule, { system, state }: CauseSnapshot): boolean =>
  !isDeepStrictEqual(withoutMaximum(rule), withoutMaximum(state.rule as Rule)) ||
  system.workloads.some(({ service }) => maximumIn(rule) < (quantityValue(cpuLimitOf(system, service)) ?? 0))

export const fault = defineRefusalFault({
  name: 'limit-range',
  about:
    'A LimitRange allows less CPU than the pods of a workload request, and a deleted pod cannot be recreated',
  object: LIMIT_RANGE,
  parameters: {
    percent: {
      type: 'integer',
      about: 'The allowed share of the CPU limit of the container',
      min: 20,
      max: 90,
      default: 50,
      unit: '%',
    },
  },
  symptoms: [
    'a workload has fewer pods than desired, with events about forbidden pods',
    'the service has no endpoints',
  ],
  targets: (system) =>
    essentialWorkloads(system)
      .filter(({ service }) => cpuLimitOf(system, service) !== undefined)
      .map(({ service }) => ({ service })),
  spec: async (context) => ({ limits: [{ type: 'Container', max: { cpu: maximumFor(context) } }] }),
  refuses: (rule, snapshot) =>
    (snapshot.rules ?? JUDGING_RULES) < RULES_WITH_NEW_WORKLOADS
      ? differsInMore(rule, snapshot)
      : !admitsWorkloads(snapshot.now.list(LIMIT_RANGE.kind), snapshot),
  repairTask: ({ system }) =>
    deleteTask('Delete the LimitRange', {
      apiVersion: 'v1',
      kind: LIMIT_RANGE.kind,
      namespace: system.namespace,
      name: LIMIT_RANGE.name,
    }),
  hacks: [lowerLimits, setTinyDefaults, requireMuch],
})

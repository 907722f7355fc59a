/** A NetworkPolicy that keeps those who need a service from reaching it: it is taken away. */
import type { ApiObject } from '../../../spec/index.ts'
import { type Labels, specOf } from '../observe/kube-shapes.ts'
import { templateLabels } from '../observe/services.ts'
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { deleteTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Hypothesis, isInFocus } from '../runbook.ts'

interface Selector {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

interface PolicySpec {
  readonly podSelector?: Selector
  readonly policyTypes?: readonly string[]
  readonly ingress?: readonly {
    readonly from?: readonly { readonly podSelector?: Selector; readonly ipBlock?: object }[]
  }[]
}

const meets = (
  labels: Labels,
  { key, operator, values = [] }: NonNullable<Selector['matchExpressions']>[number],
) => {
  const value = labels[key]
  if (operator === 'In') return value !== undefined && values.includes(value)
  if (operator === 'NotIn') return value === undefined || !values.includes(value)
  return (operator === 'Exists') === (value !== undefined)
}

const matches = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
  matchExpressions.every((expression) => meets(labels, expression))

/** Peers of other sorts are taken to let everybody in: what is not understood is not blamed. */
const admits = ({ ingress = [] }: PolicySpec, caller: Labels): boolean =>
  ingress.some(
    ({ from = [] }) =>
      from.length === 0 ||
      from.some(({ podSelector, ipBlock }) => ipBlock !== undefined || matches(podSelector ?? {}, caller)),
  )

const covers = ({ podSelector = {}, policyTypes = ['Ingress'] }: PolicySpec, labels: Labels): boolean =>
  policyTypes.includes('Ingress') && matches(podSelector, labels)

/** Those who called it of late; everybody else where that is not known. */
const callersOf = async (world: World, { service }: WorkloadView): Promise<readonly WorkloadView[]> => {
  const all = (await world.workloads()).filter((one) => one.service !== service)
  const calls = await world.calls()
  const known = new Set(calls.filter(({ to }) => to === service).map(({ from }) => from))
  return known.size === 0 ? all : all.filter((one) => known.has(one.service))
}

const MOST_NAMED = 4

const toHypothesis = (
  world: World,
  { service }: WorkloadView,
  policies: readonly ApiObject[],
  shut: readonly WorkloadView[],
): Hypothesis => {
  const names = policies.map(({ metadata }) => metadata.name).join(', ')
  const named = shut.slice(0, MOST_NAMED).map((one) => one.service)
  const callers = [...named, ...(shut.length > MOST_NAMED ? ['others'] : [])].join(', ')
  return {
    ...({ runbook: 'network-policy', layer: 'network', type: 'misconfiguration' } as const),
    services: [service],
    score: 0.95,
    mayPass: true,
    claim: `The NetworkPolicy ${names} keeps ${callers} from reaching ${service}.`,
    evidence: policies.map(
      ({ metadata, spec }) => `NetworkPolicy ${metadata.name} says ${JSON.stringify(spec)}`,
    ),
    fix: {
      plan: `Take the policy ${names} away: it admits none of those who need ${service}.`,
      services: [],
      playbook: toPlaybook(
        `Let callers reach ${service} again`,
        policies.map(({ metadata }) =>
          deleteTask('Delete the policy that shuts callers out', {
            apiVersion: 'networking.k8s.io/v1',
            kind: 'NetworkPolicy',
            name: metadata.name,
            namespace: world.namespace,
          }),
        ),
      ),
    },
  }
}

export const networkPolicy = defineRunbook({
  name: 'network-policy',
  about: 'a NetworkPolicy that shuts callers out',
  categories: ['network-loss'],
  async look(world, focus) {
    const policies = await world.objects('NetworkPolicy')
    const found: Hypothesis[] = []
    for (const workload of policies.length === 0 ? [] : await world.workloads()) {
      const over = policies.filter((one) => covers(specOf<PolicySpec>(one), templateLabels(workload)))
      if (over.length === 0 || !isInFocus(focus, workload.service)) continue
      const callers = await callersOf(world, workload)
      const isLetIn = (caller: WorkloadView) =>
        over.some((one) => admits(specOf<PolicySpec>(one), templateLabels(caller)))
      const shut = callers.filter((caller) => !isLetIn(caller))
      const guilty = over.filter(
        (one) => !callers.some((caller) => admits(specOf<PolicySpec>(one), templateLabels(caller))),
      )
      if (shut.length > 0 && guilty.length > 0) found.push(toHypothesis(world, workload, guilty, shut))
    }
    return found
  },
})

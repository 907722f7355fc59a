/** Runbook for a NetworkPolicy that blocks the callers of a service: deletes it. */
import { type ApiObject, type KubeObject, viewAs } from '#spec'
import type { Labels } from '../observe/kube-views.ts'
import { templateLabels } from '../observe/services.ts'
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { deleteTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Hypothesis, isInFocus } from '../runbook.ts'

type PolicySpec = NonNullable<KubeObject<'NetworkPolicy'>['spec']>
type Selector = PolicySpec['podSelector']

const meetsExpression = (
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
  matchExpressions.every((expression) => meetsExpression(labels, expression))

/** A peer without a pod selector is treated as admitting every caller. */
const admits = ({ ingress = [] }: PolicySpec, caller: Labels): boolean =>
  ingress.some(
    ({ from = [] }) =>
      from.length === 0 ||
      from.some(({ podSelector, ipBlock }) => ipBlock !== undefined || matches(podSelector ?? {}, caller)),
  )

const covers = ({ podSelector = {}, policyTypes = ['Ingress'] }: PolicySpec, labels: Labels): boolean =>
  policyTypes.includes('Ingress') && matches(podSelector, labels)

/** Returns the recent callers of a service, or all other services if there are none. */
const callersOf = async (world: World, { service }: WorkloadView): Promise<readonly WorkloadView[]> => {
  const otherWorkloads = (await world.workloads()).filter((workload) => workload.service !== service)
  const calls = await world.calls()
  const callers = new Set(calls.filter(({ to }) => to === service).map(({ from }) => from))
  return callers.size === 0
    ? otherWorkloads
    : otherWorkloads.filter((workload) => callers.has(workload.service))
}

const specOf = (policy: ApiObject): PolicySpec => viewAs('NetworkPolicy', policy).spec ?? { podSelector: {} }

const MAX_NAMED_CALLERS = 4

const toHypothesis = (
  world: World,
  { service }: WorkloadView,
  policies: readonly ApiObject[],
  blocked: readonly WorkloadView[],
): Hypothesis => {
  const names = policies.map(({ metadata }) => metadata.name).join(', ')
  const named = blocked.slice(0, MAX_NAMED_CALLERS).map((workload) => workload.service)
  const callers = [...named, ...(blocked.length > MAX_NAMED_CALLERS ? ['others'] : [])].join(', ')
  return {
    ...({ runbook: 'network-policy', layer: 'network', type: 'misconfiguration' } as const),
    services: [service],
    score: 0.95,
    mayBeTransient: true,
    claim: `The NetworkPolicy ${names} blocks calls from ${callers} to ${service}.`,
    evidence: policies.map(
      ({ metadata, spec }) => `NetworkPolicy ${metadata.name} has the spec ${JSON.stringify(spec)}`,
    ),
    fix: {
      plan: `Delete the policy ${names}, which admits no caller of ${service}.`,
      services: [],
      playbook: toPlaybook(
        `Unblock the callers of ${service}`,
        policies.map(({ metadata }) =>
          deleteTask('Delete the policy that blocks callers', {
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
  about: 'a NetworkPolicy that blocks callers',
  categories: ['network-loss'],
  async diagnose(world, focus) {
    const policies = await world.objects('NetworkPolicy')
    const hypotheses: Hypothesis[] = []
    for (const workload of policies.length === 0 ? [] : await world.workloads()) {
      const coveringPolicies = policies.filter((object) => covers(specOf(object), templateLabels(workload)))
      if (coveringPolicies.length === 0 || !isInFocus(focus, workload.service)) continue
      const callers = await callersOf(world, workload)
      const isAdmitted = (caller: WorkloadView) =>
        coveringPolicies.some((object) => admits(specOf(object), templateLabels(caller)))
      const blocked = callers.filter((caller) => !isAdmitted(caller))
      const blockingPolicies = coveringPolicies.filter(
        (object) => !callers.some((caller) => admits(specOf(object), templateLabels(caller))),
      )
      if (blocked.length > 0 && blockingPolicies.length > 0)
        hypotheses.push(toHypothesis(world, workload, blockingPolicies, blocked))
    }
    return hypotheses
  },
})

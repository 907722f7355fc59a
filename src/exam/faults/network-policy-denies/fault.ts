/** Fault: a NetworkPolicy denies calls to a service. */
import { type DeniedCall, findDeniedCalls, findRestrictedServices } from '#exam/effects'
import {
  deleteTask,
  dependentCallers,
  ignoreMissing,
  isEditable,
  liveCallers,
  replacePods,
  restartTarget,
  toPlaybook,
} from '#exam/fault-parts'
import {
  type CauseSnapshot,
  defineFault,
  type FaultCase,
  type FaultTarget,
  JUDGING_RULES,
  type RepairContext,
  viewAs,
} from '#spec'

const nameOf = ({ service }: FaultTarget): string => `${service}-ingress`

const policiesOf = ({ system }: Pick<FaultCase, 'system'>) => ({
  apiVersion: 'networking.k8s.io/v1',
  plural: 'networkpolicies',
  namespace: system.namespace,
})

/** Allows no ingress, or only ingress from pods with a label that callers do not have. */
const toIngress = ({ target, params }: FaultCase): readonly object[] =>
  params.admits === 'nobody'
    ? []
    : [{ from: [{ podSelector: { matchLabels: { [`${target.service}-client`]: 'true' } } }] }]

const selectTarget = ({ target }: FaultCase): object => ({
  podSelector: { matchLabels: { app: target.service } },
  policyTypes: ['Ingress'],
})

const createPolicy = async (
  { api, system }: Pick<RepairContext, 'api' | 'system'>,
  name: string,
  spec: object,
): Promise<void> => {
  await api.create(policiesOf({ system }), {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace: system.namespace },
    spec,
  })
}

/** Selects all pods, and admits calls from present services and from outside the cluster. */
const toNamespacePolicy = async ({ api, system }: RepairContext): Promise<object> => {
  const { items: nodes } = await api.list({ apiVersion: 'v1', plural: 'nodes' })
  const podRanges = nodes.flatMap((node) => viewAs('Node', node).spec?.podCIDR ?? [])
  const services = system.workloads.map(({ service }) => service)
  const present = { matchExpressions: [{ key: 'app', operator: 'In', values: services }] }
  const outside = { cidr: '0.0.0.0/0', except: podRanges }
  return {
    podSelector: {},
    policyTypes: ['Ingress'],
    ingress: [{ from: [{ podSelector: present }, { ipBlock: outside }] }],
  }
}

const MAX_DESCRIBED = 5

const describeCall = ({ from, to, access }: DeniedCall): string =>
  access === 'none'
    ? `policies deny calls from ${from} to ${to}`
    : `policies allow calls from ${from} to ${to} only at some of the addresses that their pods may have`

/** All callers must be admitted again; adding the label to them is a correct fix. */
const scopeOf = ({ system, target }: FaultCase): readonly string[] => [
  target.service,
  ...liveCallers(system, target.service),
]

/** The first version of the rules in which a policy must not restrict other services. */
const RULES_WITH_RESTRICTIONS = 5

/** Services outside the scope that are restricted because of the solver: neither the baseline nor a fault restricted them. */
const newlyRestricted = (snapshot: CauseSnapshot): readonly string[] => {
  const { system, baseline, injected, now, rules = JUDGING_RULES } = snapshot
  if (rules < RULES_WITH_RESTRICTIONS) return []
  const scope = scopeOf(snapshot)
  const sinceInjection = findRestrictedServices(system, injected, now)
  return findRestrictedServices(system, baseline, now).filter(
    (service) => sinceInjection.includes(service) && !scope.includes(service),
  )
}

export const fault = defineFault({
  name: 'network-policy-denies',
  about: 'A NetworkPolicy denies calls to a service from its callers',
  category: 'network-loss',
  layer: 'network',
  type: 'misconfiguration',
  otherTypes: ['network-storage-issue'],
  binding: 'cause',
  parameters: {
    admits: {
      type: 'choice',
      about: 'The pods that the policy admits: none, or only those with a label that callers do not have',
      choices: ['nobody', 'labelled'],
      default: 'nobody',
    },
  },
  shapes: ['sudden', 'transient'],
  symptoms: [
    'connections to the service time out, while its pods are ready',
    'a new policy selects its pods',
  ],
  targets: (system) =>
    system.workloads
      .filter((workload) => isEditable(workload) && dependentCallers(system, workload.service).length > 0)
      .map(({ service }) => ({ service })),
  async inject(context) {
    const policy = nameOf(context.target)
    await createPolicy(context, policy, { ...selectTarget(context), ingress: toIngress(context) })
    return { policy }
  },
  async recover(context) {
    await ignoreMissing(context.api.delete({ ...policiesOf(context), name: nameOf(context.target) }))
  },
  isGone(snapshot) {
    const { system, baseline, now } = snapshot
    const problems = [
      ...findDeniedCalls(system, baseline, now).map(describeCall),
      ...newlyRestricted(snapshot).map((name) => `policies restrict ${name} to certain calls`),
    ]
    return {
      holds: problems.length === 0,
      evidence: problems.slice(0, MAX_DESCRIBED).join(', ') || 'policies deny no calls',
    }
  },
  scope: (faultCase) => ({ services: scopeOf(faultCase) }),
  fix: ({ system, state }) =>
    toPlaybook('Remove the policy', [
      deleteTask('Delete the policy that denies the callers', {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        namespace: system.namespace,
        name: String(state.policy),
      }),
    ]),
  hacks: [
    restartTarget,
    {
      name: 'restart-the-callers',
      about: 'Replaces the pods of the denied callers',
      async act(context) {
        for (const caller of dependentCallers(context.system, context.target.service))
          await replacePods(context, caller)
      },
    },
    {
      name: 'deny-all-egress',
      about: 'Changes the policy so that it denies all egress of the service',
      async act({ api, system, state }) {
        await api.patch({ ...policiesOf({ system }), name: String(state.policy) }, 'merge', {
          spec: { policyTypes: ['Egress'], ingress: null, egress: [] },
        })
      },
    },
    {
      name: 'restrict-the-namespace-to-present-calls',
      about:
        'Replaces the policy with one that selects all pods and admits only the present services and users',
      async act(context) {
        const { api, state } = context
        await api.delete({ ...policiesOf(context), name: String(state.policy) })
        await createPolicy(context, 'zero-trust', await toNamespacePolicy(context))
      },
    },
    {
      name: 'allow-on-another-port',
      about: 'Adds a policy that admits callers on a port without a listener',
      act: (context) =>
        createPolicy(context, `${context.target.service}-admin`, {
          ...selectTarget(context),
          ingress: [{ ports: [{ port: 1 }] }],
        }),
    },
  ],
})

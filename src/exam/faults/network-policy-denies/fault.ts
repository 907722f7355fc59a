/** Fault: a NetworkPolicy denies calls to a service. */
import { type DeniedCall, findDeniedCalls } from '#exam/effects'
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
import { defineFault, type FaultCase, type FaultTarget } from '#spec'

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

const MAX_DESCRIBED = 5

const describeCall = ({ from, to, access }: DeniedCall): string =>
  access === 'none'
    ? `policies deny calls from ${from} to ${to}`
    : `policies allow calls from ${from} to ${to} only at some of the addresses that their pods may have`

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
    const { api, system, target } = context
    const policy = nameOf(target)
    await api.create(policiesOf(context), {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: policy, namespace: system.namespace },
      spec: {
        podSelector: { matchLabels: { app: target.service } },
        policyTypes: ['Ingress'],
        ingress: toIngress(context),
      },
    })
    return { policy }
  },
  async recover(context) {
    await ignoreMissing(context.api.delete({ ...policiesOf(context), name: nameOf(context.target) }))
  },
  isGone(snapshot) {
    const { system, baseline, now } = snapshot
    const denied = findDeniedCalls(system, baseline, now)
    const described = denied.slice(0, MAX_DESCRIBED).map(describeCall)
    return {
      holds: denied.length === 0,
      evidence: denied.length === 0 ? 'policies deny no calls' : described.join(', '),
    }
  },
  // All callers must be admitted again; adding the label to them is a correct fix.
  scope: ({ system, target }) => ({ services: [target.service, ...liveCallers(system, target.service)] }),
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
      name: 'allow-on-another-port',
      about: 'Adds a policy that admits callers on a port without a listener',
      async act({ api, system, target }) {
        await api.create(policiesOf({ system }), {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'NetworkPolicy',
          metadata: { name: `${target.service}-admin`, namespace: system.namespace },
          spec: {
            podSelector: { matchLabels: { app: target.service } },
            policyTypes: ['Ingress'],
            ingress: [{ ports: [{ port: 1 }] }],
          },
        })
      },
    },
  ],
})

/** Repairs of a NetworkPolicy that keep it: callers are admitted by address, by expressions, or by a second policy. */
import { liveCallers } from '#exam/fault-parts'
import { type RepairContext, viewAs } from '#spec'
import type { RightRepair } from './right-repair.ts'

const FAULTS = ['network-policy-denies'] as const

const collectionOf = ({ system }: RepairContext) => ({
  apiVersion: 'networking.k8s.io/v1',
  plural: 'networkpolicies',
  namespace: system.namespace,
})

const createPolicy = async (context: RepairContext, name: string, spec: object): Promise<void> => {
  const metadata = { name, namespace: context.system.namespace }
  const policy = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec }
  await context.api.create(collectionOf(context), policy)
}

const selectApps = (values: readonly string[]): object => ({
  matchExpressions: [{ key: 'app', operator: 'In', values }],
})

/** The ranges of pod addresses of all nodes. */
const listPodBlocks = async ({ api }: RepairContext): Promise<readonly object[]> => {
  const { items } = await api.list({ apiVersion: 'v1', plural: 'nodes' })
  return items.flatMap((node) => {
    const { podCIDR } = viewAs('Node', node).spec ?? {}
    return podCIDR === undefined ? [] : [{ ipBlock: { cidr: podCIDR } }]
  })
}

const admitByAddress: RightRepair = {
  name: 'admit-callers-by-address',
  about: 'Changes the policy to admit the address ranges of all pods',
  faults: FAULTS,
  async act(context) {
    const ref = { ...collectionOf(context), name: String(context.state.policy) }
    const spec = { ingress: [{ from: await listPodBlocks(context) }] }
    await context.api.patch(ref, 'merge', { spec })
  },
}

const admitByExpression: RightRepair = {
  name: 'admit-callers-by-expression',
  about: 'Changes the policy to admit the callers by an expression, and adds a label for the incident',
  faults: FAULTS,
  async act(context) {
    const { api, system, target, state } = context
    const from = [{ podSelector: selectApps(liveCallers(system, target.service)) }]
    await api.patch({ ...collectionOf(context), name: String(state.policy) }, 'merge', {
      metadata: { labels: { incident: 'INC-2041' } },
      spec: { ingress: [{ from }] },
    })
  },
}

const admitByNamespace: RightRepair = {
  name: 'admit-callers-by-namespace',
  about: 'Changes the policy to admit all pods of the namespace, which it selects by expressions on labels',
  faults: FAULTS,
  async act(context) {
    const { api, system, state } = context
    const { name } = system
    const namespaceSelector = {
      matchLabels: { 'kubernetes.io/metadata.name': system.namespace },
      matchExpressions: [{ key: `${name}.example.com/quarantined`, operator: 'DoesNotExist' }],
    }
    await api.patch({ ...collectionOf(context), name: String(state.policy) }, 'merge', {
      spec: { ingress: [{ from: [{ namespaceSelector }] }] },
    })
  },
}

const addPolicy: RightRepair = {
  name: 'add-a-policy-that-admits-callers',
  about: 'Adds a policy that selects the same pods in a different way and admits the callers',
  faults: FAULTS,
  async act(context) {
    const { system, target } = context
    const callers = liveCallers(system, target.service)
    await createPolicy(context, `allow-callers-of-${target.service}`, {
      podSelector: selectApps([target.service]),
      policyTypes: ['Ingress'],
      ingress: callers.map((app) => ({ from: [{ podSelector: { matchLabels: { app } } }] })),
    })
  },
}

export const POLICIES: readonly RightRepair[] = [
  admitByAddress,
  admitByExpression,
  admitByNamespace,
  addPolicy,
]

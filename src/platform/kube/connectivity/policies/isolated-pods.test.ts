/** Tests which connections policies allow, by address and port. */
import type { NetworkPolicy, NetworkPolicySpec } from 'kubernetes-types/networking/v1.d.ts'
import { expect, it } from 'vitest'
import type { Stored } from '#platform/kube/meta'
import { isConnectionAllowed } from './allowed-connections.ts'
import { isolatedPods } from './isolated-pods.ts'
import type { PolicyPod } from './policy-pod.ts'

const pod = (ip: string, app: string, namespace = 'shop'): PolicyPod => ({
  ip,
  namespace,
  namespaceLabels: { 'kubernetes.io/metadata.name': namespace },
  labels: { app },
  ports: [{ name: 'grpc', containerPort: 7070 }],
})

const WEB = pod('10.244.0.2', 'web')
const CART = pod('10.244.1.3', 'cart')
const OUTSIDER = pod('10.244.1.4', 'web', 'other')
const PODS = [WEB, CART, OUTSIDER]

const policy = (spec: Partial<NetworkPolicySpec>): Stored<NetworkPolicy> =>
  ({
    metadata: { name: 'a', namespace: 'shop' },
    spec: { podSelector: { matchLabels: { app: 'cart' } }, policyTypes: ['Ingress'], ...spec },
  }) as Stored<NetworkPolicy>

const web = { podSelector: { matchLabels: { app: 'web' } } }

/** Whether the cart allows calls from the web, from the pod in the other namespace and from another address. */
const clientsOf = (
  specs: readonly Partial<NetworkPolicySpec>[],
  port = 7070,
  protocol = 'TCP',
): boolean[] => {
  const input = { policies: specs.map(policy), pods: PODS, candidates: PODS }
  const allowed = isolatedPods('Ingress', input).get(CART.ip)
  return [WEB.ip, OUTSIDER.ip, '172.18.0.1'].map(
    (client) => allowed === undefined || isConnectionAllowed(allowed, client, protocol, port),
  )
}

it.each<[string, boolean[], Partial<NetworkPolicySpec>[]]>([
  ['no policy', [true, true, true], []],
  ['one for other pods', [true, true, true], [{ podSelector: { matchLabels: { app: 'mail' } } }]],
  ['one for egress', [true, true, true], [{ policyTypes: ['Egress'] }]],
  ['one without rules', [false, false, false], [{}]],
  ['one with an empty rule', [true, true, true], [{ ingress: [{}] }]],
  ['one for pods of the namespace', [true, false, false], [{ ingress: [{ from: [web] }] }]],
  ['two that add up', [true, false, false], [{}, { ingress: [{ from: [web] }] }]],
  [
    'one for all namespaces',
    [true, true, false],
    [{ ingress: [{ from: [{ ...web, namespaceSelector: {} }] }] }],
  ],
  [
    'one for a block with an exception',
    [true, false, false],
    [{ ingress: [{ from: [{ ipBlock: { cidr: '10.244.0.0/016', except: ['10.244.1.0/24'] } }] }] }],
  ],
  [
    'one for all addresses',
    [true, true, true],
    [{ ingress: [{ from: [{ ipBlock: { cidr: '0.0.0.0/0' } }] }] }],
  ],
  ['one for IPv6', [false, false, false], [{ ingress: [{ from: [{ ipBlock: { cidr: '::/0' } }] }] }]],
  [
    'one for the port by name',
    [true, false, false],
    [{ ingress: [{ from: [web], ports: [{ port: 'grpc' }] }] }],
  ],
  [
    'one for a range of ports',
    [true, true, true],
    [{ ingress: [{ ports: [{ port: 7000, endPort: 7100 }] }] }],
  ],
  ['one for another port', [false, false, false], [{ ingress: [{ ports: [{ port: 80 }] }] }]],
  [
    'one for another protocol',
    [false, false, false],
    [{ ingress: [{ ports: [{ port: 7070, protocol: 'UDP' }] }] }],
  ],
  ['one for a protocol', [true, true, true], [{ ingress: [{ ports: [{ protocol: 'TCP' }] }] }]],
])('with %s, the clients are allowed: %j', (_name, expected, specs) => {
  expect(clientsOf(specs)).toEqual(expected)
})

it('finds the number of a named port in each pod that egress leads to', () => {
  const egress = [{ to: [web], ports: [{ port: 'grpc' }] }]
  const input = { policies: [policy({ policyTypes: ['Egress'], egress })], pods: PODS, candidates: PODS }
  const allowed = isolatedPods('Egress', input).get(CART.ip)!
  expect(isConnectionAllowed(allowed, WEB.ip, 'TCP', 7070)).toBe(true)
  expect(isConnectionAllowed(allowed, WEB.ip, 'TCP', 7071)).toBe(false)
  expect(isConnectionAllowed(allowed, OUTSIDER.ip, 'TCP', 7070)).toBe(false)
})

/** Tests that policies are evaluated as in a cluster: they are additive, and a selected pod rejects all other calls. */

import { expect, it } from 'vitest'
import { defined } from '#kit'
import type { ApiObject, ObjectsView, SystemView } from '#spec'
import { accessTo, accessToDns } from './network-access.ts'

const workload = (name: string): ApiObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name, image: name, ports: [{ name: 'grpc', containerPort: 7070 }] }] },
    },
  },
})

const system = {
  namespace: 'shop',
  workloadOf: (name: string) => ({ kind: 'Deployment', name }),
} as unknown as SystemView

const policy = (spec: object): ApiObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'a' },
  spec: { podSelector: { matchLabels: { app: 'cart' } }, policyTypes: ['Ingress'], ...spec },
})

const node = (name: string, spec: object): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec,
})
const NODES = [
  node('node-1', { podCIDR: '10.244.1.0/24' }),
  node('node-2', { podCIDR: '10.244.2.0/24' }),
  node('control', {
    podCIDR: '10.244.0.0/24',
    taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }],
  }),
]

const toView = (specs: readonly object[]): ObjectsView => {
  const objects = [...NODES, workload('web'), workload('cart'), ...specs.map(policy)]
  return {
    get: (kind, name) => objects.find((object) => object.kind === kind && object.metadata.name === name),
    list: (kind) => objects.filter((object) => object.kind === kind),
  }
}

const isCallAllowed = (...specs: object[]): boolean =>
  accessTo(toView(specs), system, 'web', 'cart') === 'all'

const allowFrom = (...peers: object[]): object => ({ ingress: [{ from: peers }] })
const web = { podSelector: { matchLabels: { app: 'web' } } }

const [cart, mail] = ['cart', 'mail'].map((app) => ({ podSelector: { matchLabels: { app } } }))
const egressPolicy = (spec: object): object => ({
  podSelector: { matchLabels: { app: 'web' } },
  policyTypes: ['Egress'],
  ...spec,
})

it.each<[string, boolean, object[]]>([
  ['no policy', true, []],
  ['a policy that allows no ingress', false, [{}]],
  ['a policy for other pods', true, [{ podSelector: { matchLabels: { app: 'mail' } } }]],
  ['a policy for egress of the called service', true, [{ policyTypes: ['Egress'] }]],
  ['a policy that denies all egress of the caller', false, [egressPolicy({ egress: [] })]],
  [
    'a policy that allows egress only to another service',
    false,
    [egressPolicy({ egress: [{ to: [mail] }] })],
  ],
  ['a policy that allows egress to the called service', true, [egressPolicy({ egress: [{ to: [cart] }] })]],
  ['a policy that allows all egress', true, [egressPolicy({ egress: [{}] })]],
  [
    'a policy that allows egress only to another port',
    false,
    [egressPolicy({ egress: [{ ports: [{ port: 1 }] }] })],
  ],
  [
    'a policy with egress rules but without policy types',
    false,
    [egressPolicy({ policyTypes: undefined, egress: [] })],
  ],
  [
    'a policy that allows other callers',
    false,
    [allowFrom({ podSelector: { matchLabels: { role: 'client' } } })],
  ],
  ['a policy that allows the caller', true, [allowFrom(web)]],
  ['a policy that denies all and one that allows the caller', true, [{}, allowFrom(web)]],
  ['a policy that allows all', true, [{ ingress: [{}] }]],
  [
    'a policy that allows all but the caller',
    false,
    [allowFrom({ podSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] } })],
  ],
  ['a policy that allows another port', false, [{ ingress: [{ from: [web], ports: [{ port: 80 }] }] }]],
  ['a policy that allows a port by name', true, [{ ingress: [{ from: [web], ports: [{ port: 'grpc' }] }] }]],
  [
    'a policy that allows a range of ports',
    true,
    [{ ingress: [{ ports: [{ port: 7000, endPort: 7100 }] }] }],
  ],
  [
    'a policy that allows another namespace',
    false,
    [allowFrom({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'mail' } } })],
  ],
  ['a policy that allows all namespaces', true, [allowFrom({ namespaceSelector: {} })]],
  ['a policy that allows all addresses', true, [allowFrom({ ipBlock: { cidr: '0.0.0.0/0' } })]],
])('with %s, the call is allowed: %s', (_name, expected, specs) => {
  expect(isCallAllowed(...specs)).toBe(expected)
})

const namespace = (name: string, labels: object): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
})

const withNamespaces = ({ get, list }: ObjectsView, namespaces: readonly ApiObject[]): ObjectsView => ({
  get: (kind, name) =>
    kind === 'Namespace' ? namespaces.find(({ metadata }) => metadata.name === name) : get(kind, name),
  list: (kind) => (kind === 'Namespace' ? namespaces : list(kind)),
})

const fromNamespaces = (selector: object): object => allowFrom({ namespaceSelector: selector })
const hasTeam = (operator: string, ...values: string[]): object => ({
  matchExpressions: [{ key: 'team', operator, ...(values.length > 0 ? { values } : {}) }],
})

it.each<[string, string, object]>([
  ['a label of the namespace', 'all', { matchLabels: { team: 'sales' } }],
  ['another value of the label', 'none', { matchLabels: { team: 'mail' } }],
  ['namespaces that have the label', 'all', hasTeam('Exists')],
  ['namespaces that lack the label', 'none', hasTeam('DoesNotExist')],
  ['one of several values', 'all', hasTeam('In', 'sales', 'mail')],
  ['all values but that of the namespace', 'none', hasTeam('NotIn', 'sales')],
  ['the name of the namespace', 'all', { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } }],
])('with a policy that admits namespaces by %s, the access is %s', (_name, access, selector) => {
  const objects = withNamespaces(toView([fromNamespaces(selector)]), [namespace('shop', { team: 'sales' })])
  expect(accessTo(objects, system, 'web', 'cart')).toBe(access)
})

it('uses only the name of a namespace that the record does not contain', () => {
  const allow = (selector: object) => accessTo(toView([fromNamespaces(selector)]), system, 'web', 'cart')
  expect(allow({ matchLabels: { 'kubernetes.io/metadata.name': 'shop' } })).toBe('all')
  expect(allow({ matchLabels: { team: 'sales' } })).toBe('none')
})

it('reads the labels of the namespace of the DNS', () => {
  const peer = { namespaceSelector: { matchLabels: { tier: 'system' } } }
  const policies = toView([egressPolicy({ egress: [{ to: [peer] }] })])
  const accessWith = (labels: object) =>
    accessToDns(withNamespaces(policies, [namespace('kube-system', labels)]), system, 'web')
  expect(accessWith({ tier: 'system' })).toBe('all')
  expect(accessWith({})).toBe('none')
})

it('treats a policy without a spec as one that denies all ingress', () => {
  const bare: ApiObject = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'b' },
  }
  const { get, list } = toView([])
  const objects: ObjectsView = { get, list: (kind) => (kind === bare.kind ? [bare] : list(kind)) }
  expect(accessTo(objects, system, 'web', 'cart')).toBe('none')
  expect(accessToDns(objects, system, 'web')).toBe('all')
})

it.each<[string, boolean, object[]]>([
  ['no policy', true, []],
  ['a policy that allows egress only to services', false, [egressPolicy({ egress: [{ to: [cart] }] })]],
  [
    'a policy that allows DNS queries',
    true,
    [egressPolicy({ egress: [{ ports: [{ port: 53, protocol: 'UDP' }] }] })],
  ],
  [
    'a policy that allows DNS queries only over TCP',
    false,
    [egressPolicy({ egress: [{ ports: [{ port: 53 }] }] })],
  ],
  [
    'a policy that allows the address of the DNS',
    true,
    [egressPolicy({ egress: [{ to: [{ ipBlock: { cidr: '10.96.0.10/32' } }] }] })],
  ],
])('with %s, DNS queries are allowed: %s', (_name, expected, specs) => {
  expect(accessToDns(toView(specs), system, 'web') === 'all').toBe(expected)
})

const block = (cidr: string, except?: string[]): object => ({
  ipBlock: { cidr, ...defined({ except }) },
})

it.each<[string, string, object[]]>([
  ['the range of all pods', 'all', [allowFrom(block('10.244.0.0/16'))]],
  [
    'the ranges of both nodes in one rule',
    'all',
    [allowFrom(block('10.244.1.0/24'), block('10.244.2.0/24'))],
  ],
  [
    'the ranges of both nodes in two policies',
    'all',
    [allowFrom(block('10.244.1.0/24')), allowFrom(block('10.244.2.0/24'))],
  ],
  [
    'a private range, with an exception that contains no pods',
    'all',
    [allowFrom(block('10.0.0.0/8', ['10.96.0.0/12']))],
  ],
  ['the range of one node', 'some', [allowFrom(block('10.244.1.0/24'))]],
  ['the address of one pod', 'some', [allowFrom(block('10.244.1.7/32'))]],
  ['all pods with the exception of one node', 'some', [allowFrom(block('10.244.0.0/16', ['10.244.2.0/24']))]],
  ['other addresses', 'none', [allowFrom(block('192.168.0.0/16'))]],
  ['IPv6 addresses', 'none', [allowFrom(block('::/0'))]],
  ['pods on another port', 'none', [{ ingress: [{ from: [block('10.244.0.0/16')], ports: [{ port: 1 }] }] }]],
  ['pods only over UDP', 'none', [{ ingress: [{ ports: [{ port: 7070, protocol: 'UDP' }] }] }]],
  [
    'the caller by an expression',
    'all',
    [
      allowFrom({
        podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'x'] }] },
      }),
    ],
  ],
  [
    'the caller by an expression and selects the called pods by another one',
    'all',
    [
      {},
      {
        podSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
        ...allowFrom({
          podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] },
        }),
      },
    ],
  ],
])('with a policy that admits %s, the access is %s', (_name, access, specs) => {
  expect(accessTo(toView(specs), system, 'web', 'cart')).toBe(access)
})

it('requires a block of all addresses if nodes do not report their address ranges', () => {
  const { get, list } = toView([allowFrom(block('10.0.0.0/8'))])
  const objects: ObjectsView = { get, list: (kind) => (kind === 'Node' ? [] : list(kind)) }
  expect(accessTo(objects, system, 'web', 'cart')).toBe('some')
})

it('considers ports that only a Service declares', () => {
  const service: ApiObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'cart' },
    spec: { selector: { app: 'cart' }, ports: [{ port: 80, targetPort: 9090 }] },
  }
  const { get, list } = toView([{ ingress: [{ ports: [{ port: 9090 }] }] }])
  const objects: ObjectsView = { get, list: (kind) => (kind === 'Service' ? [service] : list(kind)) }
  expect(accessTo(objects, system, 'web', 'cart')).toBe('all')
})

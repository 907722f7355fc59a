/** Policies are judged as a cluster would: they add up, and one that selects a pod shuts out whom none names. */
import { expect, it } from 'vitest'
import type { ApiObject, ObjectsView, SystemView } from '../spec/index.ts'
import { mayAskNames, mayReach } from './policies.ts'

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

const toView = (specs: readonly object[]): ObjectsView => {
  const objects = [workload('web'), workload('cart'), ...specs.map(policy)]
  return {
    get: (kind, name) => objects.find((one) => one.kind === kind && one.metadata.name === name),
    list: (kind) => objects.filter((one) => one.kind === kind),
  }
}

const reaches = (...specs: object[]): boolean => mayReach(toView(specs), system, 'web', 'cart')

const from = (...peers: object[]): object => ({ ingress: [{ from: peers }] })
const web = { podSelector: { matchLabels: { app: 'web' } } }

const [cart, mail] = ['cart', 'mail'].map((app) => ({ podSelector: { matchLabels: { app } } }))
const leaving = (spec: object): object => ({
  podSelector: { matchLabels: { app: 'web' } },
  policyTypes: ['Egress'],
  ...spec,
})

it.each<[string, boolean, object[]]>([
  ['no policy', true, []],
  ['one that lets nobody in', false, [{}]],
  ['one over others', true, [{ podSelector: { matchLabels: { app: 'mail' } } }]],
  ['one about what leaves the called one', true, [{ policyTypes: ['Egress'] }]],
  ['one that lets nothing leave the caller', false, [leaving({ egress: [] })]],
  ['one that lets the caller only go elsewhere', false, [leaving({ egress: [{ to: [mail] }] })]],
  ['one that lets the caller go there', true, [leaving({ egress: [{ to: [cart] }] })]],
  ['one that lets the caller go anywhere', true, [leaving({ egress: [{}] })]],
  ['one that lets the caller go to another port', false, [leaving({ egress: [{ ports: [{ port: 1 }] }] })]],
  ['one about what leaves that does not say so', false, [leaving({ policyTypes: undefined, egress: [] })]],
  ['one for others', false, [from({ podSelector: { matchLabels: { role: 'client' } } })]],
  ['one for the caller', true, [from(web)]],
  ['one that lets nobody in beside one for the caller', true, [{}, from(web)]],
  ['one for everybody', true, [{ ingress: [{}] }]],
  [
    'one for everybody but the caller',
    false,
    [from({ podSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] } })],
  ],
  ['one for another port', false, [{ ingress: [{ from: [web], ports: [{ port: 80 }] }] }]],
  ['one for a port by its name', true, [{ ingress: [{ from: [web], ports: [{ port: 'grpc' }] }] }]],
  ['one for a range of ports', true, [{ ingress: [{ ports: [{ port: 7000, endPort: 7100 }] }] }]],
  [
    'one for another namespace',
    false,
    [from({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'mail' } } })],
  ],
  ['one for all namespaces', true, [from({ namespaceSelector: {} })]],
  ['one for all addresses', true, [from({ ipBlock: { cidr: '0.0.0.0/0' } })]],
])('with %s it is %s', (_name, expected, specs) => {
  expect(reaches(...specs)).toBe(expected)
})

it('knows of a policy without a spec that it lets nobody in', () => {
  const bare: ApiObject = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'b' },
  }
  const { get, list } = toView([])
  const objects: ObjectsView = { get, list: (kind) => (kind === bare.kind ? [bare] : list(kind)) }
  expect(mayReach(objects, system, 'web', 'cart')).toBe(false)
  expect(mayAskNames(objects, system, 'web')).toBe(true)
})

it.each<[string, boolean, object[]]>([
  ['no policy', true, []],
  ['one that lets the caller only go to services', false, [leaving({ egress: [{ to: [cart] }] })]],
  ['one that lets the caller ask for names', true, [leaving({ egress: [{ ports: [{ port: 53 }] }] })]],
])('with %s names are answered: %s', (_name, expected, specs) => {
  expect(mayAskNames(toView(specs), system, 'web')).toBe(expected)
})

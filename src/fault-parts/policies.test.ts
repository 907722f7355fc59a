/** Policies are judged as a cluster would: they add up, and one that selects a pod shuts out whom none names. */
import { expect, it } from 'vitest'
import type { ApiObject, ObjectsView, SystemView } from '../spec/index.ts'
import { mayReach } from './policies.ts'

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

const reaches = (...specs: object[]): boolean => {
  const objects = [workload('web'), workload('cart'), ...specs.map(policy)]
  const view: ObjectsView = {
    get: (kind, name) => objects.find((one) => one.kind === kind && one.metadata.name === name),
    list: (kind) => objects.filter((one) => one.kind === kind),
  }
  return mayReach(view, system, 'web', 'cart')
}

const from = (...peers: object[]): object => ({ ingress: [{ from: peers }] })
const web = { podSelector: { matchLabels: { app: 'web' } } }

it.each<[string, boolean, object[]]>([
  ['no policy', true, []],
  ['one that lets nobody in', false, [{}]],
  ['one over others', true, [{ podSelector: { matchLabels: { app: 'mail' } } }]],
  ['one about what leaves', true, [{ policyTypes: ['Egress'] }]],
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

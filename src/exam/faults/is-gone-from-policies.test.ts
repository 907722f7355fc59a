/** Tests that a policy that denies calls may be repaired in several ways, but not by restricting other services. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { loadFault } from './index.ts'
import { isGone } from './testing/is-gone.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))
const simple = createSystemView(await loadSystem('simple-micro'))

describe('a policy that denies calls', () => {
  const goneCase = { fault: 'network-policy-denies', system: simple, target: { service: 'time-service' } }
  const policy = (spec: object): ApiObject => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'p' },
    spec: { podSelector: { matchLabels: { app: 'time-service' } }, policyTypes: ['Ingress'], ...spec },
  })
  const callerEgress = { podSelector: { matchLabels: { app: 'hello-service' } }, policyTypes: ['Egress'] }
  it.each<[string, boolean, readonly ApiObject[]]>([
    ['deleted', true, []],
    ['unchanged', false, [policy({ ingress: [] })]],
    ['changed to admit all', true, [policy({ ingress: [{}] })]],
    ['changed to egress', false, [policy({ policyTypes: ['Egress'], egress: [] })]],
    ['moved to the caller', false, [policy({ ...callerEgress, egress: [] })]],
  ])('is no longer a fault if %s: %s', async (_description, holds, policies) => {
    expect(await isGone(goneCase, [...simple.objects, ...policies])).toBe(holds)
  })

  const all = { podSelector: {} }
  const inNamespace = { podSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } }
  const services = boutique.workloads.map(({ service }) => service)
  const present = [{ podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: services }] } }]
  const cart = { podSelector: { matchLabels: { app: 'cartservice' } } }
  const payment = { podSelector: { matchLabels: { app: 'paymentservice' } } }
  const anyNamespace = [{ namespaceSelector: {} }]
  const boutiqueCase = {
    fault: 'network-policy-denies',
    system: boutique,
    target: { service: 'cartservice' },
  }
  it.each<[string, boolean, object]>([
    ['all pods, and admits all calls', true, { ...all, ingress: [{}] }],
    ['all pods, and admits all pods', true, { ...all, ingress: [{ from: anyNamespace }] }],
    ['all pods, and admits the present services', false, { ...all, ingress: [{ from: present }] }],
    ['all pods, and admits their namespace', false, { ...all, ingress: [{ from: [all] }] }],
    ['all services, and admits them', false, { ...inNamespace, ingress: [{ from: present }] }],
    ['the target, and admits the present services', true, { ...cart, ingress: [{ from: present }] }],
    ['another service, and admits the present ones', false, { ...payment, ingress: [{ from: present }] }],
    ['all pods, and admits one port', false, { ...all, ingress: [{ ports: [{ port: 8080 }] }] }],
    [
      'all pods, and admits calls to pods',
      true,
      { ...all, policyTypes: ['Egress'], egress: [{ to: anyNamespace }] },
    ],
    [
      'all pods, and admits calls to services and DNS',
      false,
      {
        ...all,
        policyTypes: ['Egress'],
        egress: [{ to: present }, { ports: [{ port: 53, protocol: 'UDP' }] }],
      },
    ],
  ])('may be replaced by one that selects %s: %s', async (_description, holds, spec) => {
    expect(await isGone(boutiqueCase, [...boutique.objects, policy(spec)])).toBe(holds)
  })

  it('may restrict other services in older records, and if a fault restricted them', async () => {
    const restricted = [...boutique.objects, policy({ ...all, ingress: [{ from: present }] })]
    expect(await isGone({ ...boutiqueCase, rules: 4 }, restricted)).toBe(true)
    expect(await isGone({ ...boutiqueCase, injected: restricted }, restricted)).toBe(true)
  })

  it('is repaired by adding the label to the callers, which are all in the scope', async () => {
    const fault = await loadFault('network-policy-denies')
    for (const target of fault.targets(boutique)) {
      const label = { [`${target.service}-client`]: 'true' }
      const labelPolicy = policy({
        podSelector: { matchLabels: { app: target.service } },
        ingress: [{ from: [{ podSelector: { matchLabels: label } }] }],
      })
      const { services } = fault.scope!({ system: boutique, target, params: { admits: 'labelled' } })
      const labelled = boutique.workloads.map(({ service, manifest }) => {
        const copy = structuredClone(manifest)
        const { template } = copy.spec as { template: { metadata: { labels: object } } }
        if (services.includes(service)) Object.assign(template.metadata.labels, label)
        return copy
      })
      const goneCase = { fault: fault.name, system: boutique, target }
      expect(await isGone(goneCase, [...boutique.objects, labelPolicy]), target.service).toBe(false)
      expect(await isGone(goneCase, [...labelled, labelPolicy]), target.service).toBe(true)
    }
  })
})

/** Services and policies by which nobody is reached. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../spec/index.ts'
import { other, service, shop } from '../testing/fake-objects.ts'
import { look, only, tasksOf } from '../testing/look.ts'

describe('ways that lead nowhere', () => {
  it.each([
    [{ app: 'cart-v2' }, { app: 'cart' }],
    [
      { app: 'cart', track: 'stable' },
      { app: 'cart', track: null },
    ],
  ])('corrects the selector %j', async (selector, right) => {
    const found = await only('service-routing', { objects: shop(service('cart', { selector })) })
    expect(found).toMatchObject({ services: ['cart'], layer: 'virtualisation', type: 'misconfiguration' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s']).toMatchObject({
      kind: 'Service',
      name: 'cart',
      definition: { spec: { selector: right } },
    })
  })

  it('leaves selectors by which others tell the same pods apart', async () => {
    const by = (role: string) => service(`cart-${role}`, { selector: { app: 'cart', role } })
    expect(await look({ objects: shop(by('leader'), by('follower')) }, {}, 'service-routing')).toEqual([])
  })

  it('corrects a port that nobody listens on', async () => {
    const ports = [{ port: 80, targetPort: 8083 }]
    const found = await only('service-routing', { objects: shop(service('cart', { ports })) })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition.spec.ports).toEqual([
      { port: 80, targetPort: 8080 },
    ])
  })

  const policy = (ingress: readonly object[]): ApiObject =>
    other('networking.k8s.io/v1', 'NetworkPolicy', 'cart-ingress', {
      spec: { podSelector: { matchLabels: { app: 'cart' } }, policyTypes: ['Ingress'], ingress },
    })

  it.each([[[]], [[{ from: [{ podSelector: { matchLabels: { friend: 'true' } } }] }]]])(
    'takes a policy away that shuts callers out: %j',
    async (ingress) => {
      const found = await only('network-policy', { objects: shop(policy(ingress)) })
      expect(found).toMatchObject({ services: ['cart'], layer: 'network', type: 'misconfiguration' })
      expect(tasksOf(found)[0]['kubernetes.core.k8s']).toMatchObject({
        state: 'absent',
        kind: 'NetworkPolicy',
        name: 'cart-ingress',
      })
    },
  )

  it('leaves a policy that lets callers in', async () => {
    const ingress = [{ from: [{ podSelector: { matchLabels: { app: 'frontend' } } }] }]
    expect(await look({ objects: shop(policy(ingress)) }, {}, 'network-policy')).toEqual([])
  })
})

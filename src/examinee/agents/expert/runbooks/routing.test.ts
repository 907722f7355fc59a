/** Tests of the runbooks for Services and NetworkPolicies. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { object, service, shop } from '../testing/fake-objects.ts'
import { findHypotheses, findOnly, tasksOf } from '../testing/find-hypotheses.ts'

describe('the Expert, faced with wrong routing,', () => {
  it.each([
    [{ app: 'cart-v2' }, { app: 'cart' }],
    [
      { app: 'cart', track: 'stable' },
      { app: 'cart', track: null },
    ],
  ])('corrects the selector %j', async (selector, right) => {
    const hypothesis = await findOnly('service-routing', { objects: shop(service('cart', { selector })) })
    expect(hypothesis).toMatchObject({
      services: ['cart'],
      layer: 'virtualisation',
      type: 'misconfiguration',
    })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s']).toMatchObject({
      kind: 'Service',
      name: 'cart',
      definition: { spec: { selector: right } },
    })
  })

  it('keeps selectors of roles, whose labels pods get at run time', async () => {
    const by = (role: string) => service(`cart-${role}`, { selector: { app: 'cart', role } })
    expect(
      await findHypotheses({ objects: shop(by('leader'), by('follower')) }, {}, 'service-routing'),
    ).toEqual([])
  })

  it('corrects a target port on which no pod listens', async () => {
    const ports = [{ port: 80, targetPort: 8083 }]
    const hypothesis = await findOnly('service-routing', { objects: shop(service('cart', { ports })) })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition.spec.ports).toEqual([
      { port: 80, targetPort: 8080 },
    ])
  })

  const policy = (ingress: readonly object[]): ApiObject =>
    object('networking.k8s.io/v1', 'NetworkPolicy', 'cart-ingress', {
      spec: { podSelector: { matchLabels: { app: 'cart' } }, policyTypes: ['Ingress'], ingress },
    })

  it.each([[[]], [[{ from: [{ podSelector: { matchLabels: { friend: 'true' } } }] }]]])(
    'deletes a policy that blocks callers: %j',
    async (ingress) => {
      const hypothesis = await findOnly('network-policy', { objects: shop(policy(ingress)) })
      expect(hypothesis).toMatchObject({ services: ['cart'], layer: 'network', type: 'misconfiguration' })
      expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s']).toMatchObject({
        state: 'absent',
        kind: 'NetworkPolicy',
        name: 'cart-ingress',
      })
    },
  )

  it('keeps a policy that admits callers', async () => {
    const ingress = [{ from: [{ podSelector: { matchLabels: { app: 'frontend' } } }] }]
    expect(await findHypotheses({ objects: shop(policy(ingress)) }, {}, 'network-policy')).toEqual([])
  })
})

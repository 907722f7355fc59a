/** Tests of the runbooks for Services and NetworkPolicies. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { service, shopObjects, toObject } from '../testing/fake-objects.ts'
import { findHypotheses, findOnlyHypothesis, tasksOf } from '../testing/find-hypotheses.ts'

describe('the Expert, faced with wrong routing,', () => {
  it.each([
    [{ app: 'cart-v2' }, { app: 'cart' }],
    [
      { app: 'cart', track: 'stable' },
      { app: 'cart', track: null },
    ],
  ])('corrects the selector %j', async (selector, expected) => {
    const hypothesis = await findOnlyHypothesis('service-routing', {
      objects: shopObjects(service('cart', { selector })),
    })
    expect(hypothesis).toMatchObject({
      services: ['cart'],
      layer: 'virtualisation',
      type: 'misconfiguration',
    })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s']).toMatchObject({
      kind: 'Service',
      name: 'cart',
      definition: { spec: { selector: expected } },
    })
  })

  it('keeps selectors for roles, because pods get role labels only at run time', async () => {
    const roleService = (role: string) => service(`cart-${role}`, { selector: { app: 'cart', role } })
    expect(
      await findHypotheses(
        { objects: shopObjects(roleService('leader'), roleService('follower')) },
        {},
        'service-routing',
      ),
    ).toEqual([])
  })

  it('corrects a target port on which no pod listens', async () => {
    const ports = [{ port: 80, targetPort: 8083 }]
    const hypothesis = await findOnlyHypothesis('service-routing', {
      objects: shopObjects(service('cart', { ports })),
    })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition.spec.ports).toEqual([
      { port: 80, targetPort: 8080 },
    ])
  })

  const policy = (ingress: readonly object[]): ApiObject =>
    toObject('networking.k8s.io/v1', 'NetworkPolicy', 'cart-ingress', {
      spec: { podSelector: { matchLabels: { app: 'cart' } }, policyTypes: ['Ingress'], ingress },
    })

  it.each([[[]], [[{ from: [{ podSelector: { matchLabels: { friend: 'true' } } }] }]]])(
    'deletes a policy that blocks callers: %j',
    async (ingress) => {
      const hypothesis = await findOnlyHypothesis('network-policy', { objects: shopObjects(policy(ingress)) })
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
    expect(await findHypotheses({ objects: shopObjects(policy(ingress)) }, {}, 'network-policy')).toEqual([])
  })
})

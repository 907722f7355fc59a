/** Tests of the runbooks for ConfigMaps and Secrets. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import {
  configMap,
  deployment,
  failingEdge,
  podTemplate,
  secret,
  shopObjects,
} from '../testing/fake-objects.ts'
import { findHypotheses, findOnlyHypothesis, tasksOf } from '../testing/find-hypotheses.ts'

describe('the Expert, faced with wrong configuration,', () => {
  const readingTemplate = podTemplate(
    'cart',
    {},
    { spec: { volumes: [{ name: 'c', configMap: { name: 'settings' } }] } },
  )
  const shopWithConfig = (settings: unknown): ApiObject[] =>
    shopObjects(
      ...deployment('cart', { now: readingTemplate }),
      configMap('settings', { 'c.json': JSON.stringify(settings) }),
    )

  it.each([
    [{ CartStore: 'store-svc:80' }, { CartStore: 'store:80' }],
    [{ CartStore: 'store:81' }, { CartStore: 'store:80' }],
    [{ store: { addr: 'store', port: 81 } }, { store: { addr: 'store', port: 80 } }],
    [{ store: { addr: 'store-svc', port: 80 } }, { store: { addr: 'store', port: 80 } }],
  ])('corrects %j', async (wrong, right) => {
    const hypothesis = await findOnlyHypothesis('config-values', {
      objects: shopWithConfig(wrong),
      edges: [failingEdge('cart', 'store')],
    })
    expect(hypothesis).toMatchObject({ services: ['cart'], layer: 'application', type: 'misconfiguration' })
    const [repair, restart] = tasksOf(hypothesis)
    expect(JSON.parse(repair['kubernetes.core.k8s'].definition.data['c.json'])).toEqual(right)
    expect(restart['kubernetes.core.k8s']).toMatchObject({ kind: 'Deployment', name: 'cart' })
  })

  it('keeps valid and unknown addresses', async () => {
    const settings = { CartStore: 'store:80', Outside: 'api.example.com:443', Text: 'a:b', Port: 8080 }
    expect(await findHypotheses({ objects: shopWithConfig(settings) }, {}, 'config-values')).toEqual([])
  })

  const credentials = (stem: string, password = 'right'): Record<string, string> => ({
    [`${stem}_MYSQL_HOST`]: 'db',
    [`${stem}_MYSQL_PASSWORD`]: password,
  })
  const shopWithSecrets = (...secrets: readonly ApiObject[]): ApiObject[] => {
    const now = podTemplate('cart', { envFrom: [{ secretRef: { name: 'ts-cart-mysql' } }] })
    const siblings = ['food', 'route'].map((stem) =>
      secret(`ts-${stem}-mysql`, credentials(stem.toUpperCase())),
    )
    return shopObjects(...deployment('cart', { now, ready: 0 }), ...siblings, ...secrets)
  }

  it('recreates a missing Secret from similar ones', async () => {
    const hypothesis = await findOnlyHypothesis('secrets', { objects: shopWithSecrets() })
    expect(hypothesis).toMatchObject({ services: ['cart'], layer: 'virtualisation', type: 'operation-error' })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition).toMatchObject({
      kind: 'Secret',
      metadata: { name: 'ts-cart-mysql' },
      stringData: credentials('CART'),
    })
  })

  it('restores a missing key of a Secret', async () => {
    const hypothesis = await findOnlyHypothesis('secrets', {
      objects: shopWithSecrets(secret('ts-cart-mysql', { CART_MYSQL_HOST: 'db' })),
    })
    expect(hypothesis).toMatchObject({ layer: 'virtualisation', type: 'misconfiguration' })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition.stringData).toEqual({
      CART_MYSQL_PASSWORD: 'right',
    })
  })

  it('corrects a password that differs from that in similar Secrets', async () => {
    const hypothesis = await findOnlyHypothesis('secrets', {
      objects: shopWithSecrets(secret('ts-cart-mysql', credentials('CART', 'right_2024'))),
    })
    expect(hypothesis).toMatchObject({ layer: 'middleware', type: 'authentication-issue' })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition.stringData).toEqual({
      CART_MYSQL_PASSWORD: 'right',
    })
  })

  it('keeps a Secret that equals similar ones', async () => {
    const objects = shopWithSecrets(secret('ts-cart-mysql', credentials('CART')))
    expect(await findHypotheses({ objects }, {}, 'secrets')).toEqual([])
  })
})

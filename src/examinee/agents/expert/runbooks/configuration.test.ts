/** Tests of the runbooks for ConfigMaps and Secrets. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { configMap, deployment, failing, secret, shop, template } from '../testing/fake-objects.ts'
import { findHypotheses, findOnly, tasksOf } from '../testing/find-hypotheses.ts'

describe('the Expert, faced with wrong configuration,', () => {
  const reading = template(
    'cart',
    {},
    { spec: { volumes: [{ name: 'c', configMap: { name: 'settings' } }] } },
  )
  const withConfig = (settings: unknown): ApiObject[] =>
    shop(
      ...deployment('cart', { now: reading }),
      configMap('settings', { 'c.json': JSON.stringify(settings) }),
    )

  it.each([
    [{ CartStore: 'store-svc:80' }, { CartStore: 'store:80' }],
    [{ CartStore: 'store:81' }, { CartStore: 'store:80' }],
    [{ store: { addr: 'store', port: 81 } }, { store: { addr: 'store', port: 80 } }],
    [{ store: { addr: 'store-svc', port: 80 } }, { store: { addr: 'store', port: 80 } }],
  ])('corrects %j', async (wrong, right) => {
    const hypothesis = await findOnly('config-values', {
      objects: withConfig(wrong),
      edges: [failing('cart', 'store')],
    })
    expect(hypothesis).toMatchObject({ services: ['cart'], layer: 'application', type: 'misconfiguration' })
    const [repair, restart] = tasksOf(hypothesis)
    expect(JSON.parse(repair['kubernetes.core.k8s'].definition.data['c.json'])).toEqual(right)
    expect(restart['kubernetes.core.k8s']).toMatchObject({ kind: 'Deployment', name: 'cart' })
  })

  it('keeps valid and unknown addresses', async () => {
    const settings = { CartStore: 'store:80', Outside: 'api.example.com:443', Text: 'a:b', Port: 8080 }
    expect(await findHypotheses({ objects: withConfig(settings) }, {}, 'config-values')).toEqual([])
  })

  const entry = (stem: string, password = 'right'): Record<string, string> => ({
    [`${stem}_MYSQL_HOST`]: 'db',
    [`${stem}_MYSQL_PASSWORD`]: password,
  })
  const withSecrets = (...secrets: readonly ApiObject[]): ApiObject[] => {
    const now = template('cart', { envFrom: [{ secretRef: { name: 'ts-cart-mysql' } }] })
    const siblings = ['food', 'route'].map((stem) => secret(`ts-${stem}-mysql`, entry(stem.toUpperCase())))
    return shop(...deployment('cart', { now, ready: 0 }), ...siblings, ...secrets)
  }

  it('recreates a missing Secret from similar ones', async () => {
    const hypothesis = await findOnly('secrets', { objects: withSecrets() })
    expect(hypothesis).toMatchObject({ services: ['cart'], layer: 'virtualisation', type: 'operation-error' })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition).toMatchObject({
      kind: 'Secret',
      metadata: { name: 'ts-cart-mysql' },
      stringData: entry('CART'),
    })
  })

  it('restores a missing key of a Secret', async () => {
    const hypothesis = await findOnly('secrets', {
      objects: withSecrets(secret('ts-cart-mysql', { CART_MYSQL_HOST: 'db' })),
    })
    expect(hypothesis).toMatchObject({ layer: 'virtualisation', type: 'misconfiguration' })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition.stringData).toEqual({
      CART_MYSQL_PASSWORD: 'right',
    })
  })

  it('corrects a password that differs from similar Secrets', async () => {
    const hypothesis = await findOnly('secrets', {
      objects: withSecrets(secret('ts-cart-mysql', entry('CART', 'right_2024'))),
    })
    expect(hypothesis).toMatchObject({ layer: 'middleware', type: 'authentication-issue' })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition.stringData).toEqual({
      CART_MYSQL_PASSWORD: 'right',
    })
  })

  it('keeps a Secret that equals similar ones', async () => {
    const objects = withSecrets(secret('ts-cart-mysql', entry('CART')))
    expect(await findHypotheses({ objects }, {}, 'secrets')).toEqual([])
  })
})

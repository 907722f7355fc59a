/** Values in ConfigMaps and Secrets. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../spec/index.ts'
import { configMap, deployment, failing, secret, shop, template } from '../testing/fake-objects.ts'
import { look, only, tasksOf } from '../testing/look.ts'

describe('configuration', () => {
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
    const found = await only('config-values', {
      objects: withConfig(wrong),
      edges: [failing('cart', 'store')],
    })
    expect(found).toMatchObject({ services: ['cart'], layer: 'application', type: 'misconfiguration' })
    const [mend, restart] = tasksOf(found)
    expect(JSON.parse(mend['kubernetes.core.k8s'].definition.data['c.json'])).toEqual(right)
    expect(restart['kubernetes.core.k8s']).toMatchObject({ kind: 'Deployment', name: 'cart' })
  })

  it('leaves alone what leads somewhere, or where nobody can tell', async () => {
    const settings = { CartStore: 'store:80', Outside: 'api.example.com:443', Text: 'a:b', Port: 8080 }
    expect(await look({ objects: withConfig(settings) }, {}, 'config-values')).toEqual([])
  })

  const entry = (stem: string, password = 'right'): Record<string, string> => ({
    [`${stem}_MYSQL_HOST`]: 'db',
    [`${stem}_MYSQL_PASSWORD`]: password,
  })
  const withSecrets = (...own: readonly ApiObject[]): ApiObject[] => {
    const now = template('cart', { envFrom: [{ secretRef: { name: 'ts-cart-mysql' } }] })
    const siblings = ['food', 'route'].map((stem) => secret(`ts-${stem}-mysql`, entry(stem.toUpperCase())))
    return shop(...deployment('cart', { now, ready: 0 }), ...siblings, ...own)
  }

  it('makes a Secret that is gone after the pattern of the others', async () => {
    const found = await only('secrets', { objects: withSecrets() })
    expect(found).toMatchObject({ services: ['cart'], layer: 'virtualisation', type: 'operation-error' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition).toMatchObject({
      kind: 'Secret',
      metadata: { name: 'ts-cart-mysql' },
      stringData: entry('CART'),
    })
  })

  it('completes a Secret that lacks a key', async () => {
    const found = await only('secrets', {
      objects: withSecrets(secret('ts-cart-mysql', { CART_MYSQL_HOST: 'db' })),
    })
    expect(found).toMatchObject({ layer: 'virtualisation', type: 'misconfiguration' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition.stringData).toEqual({
      CART_MYSQL_PASSWORD: 'right',
    })
  })

  it('corrects a password that no other has', async () => {
    const found = await only('secrets', {
      objects: withSecrets(secret('ts-cart-mysql', entry('CART', 'right_2024'))),
    })
    expect(found).toMatchObject({ layer: 'middleware', type: 'authentication-issue' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition.stringData).toEqual({
      CART_MYSQL_PASSWORD: 'right',
    })
  })

  it('leaves a Secret that is as the others', async () => {
    const objects = withSecrets(secret('ts-cart-mysql', entry('CART')))
    expect(await look({ objects }, {}, 'secrets')).toEqual([])
  })
})

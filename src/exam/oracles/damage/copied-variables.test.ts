/** Tests that a repaired variable may also be set in containers that do not read it. */
import { expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { deployment, prepareRecord, problem, withSpec } from '../testing/record-builder.ts'
import { finish, judge } from '../testing/trial.ts'

type Variables = Readonly<Record<string, string>>

const toContainer = (name: string, variables: Variables): object => ({
  name,
  image: `shop/${name}:1.4`,
  env: Object.entries(variables).map(([variable, value]) => ({ name: variable, value })),
})

/** The cart with a sidecar and an init container. */
const cartWith = (main: Variables, sidecar: Variables, init: Variables = {}): ApiObject => {
  const cart = deployment('cart')
  const { template } = cart.spec as { template: object }
  const spec = {
    containers: [toContainer('main', main), toContainer('sidecar', sidecar)],
    initContainers: [toContainer('init', init)],
  }
  return withSpec(cart, { template: { ...template, spec } })
}

const RIGHT = { STOCK: 'stock:80', POOL: '10' }
const WRONG = { ...RIGHT, STOCK: 'stok:80' }
const SIDECAR = { MODE: 'quiet' }

const damageOf = (now: ApiObject, rules?: number): readonly string[] => {
  const record = prepareRecord(problem(), {
    baseline: [cartWith(RIGHT, SIDECAR)],
    injected: [cartWith(WRONG, SIDECAR)],
    ...(rules === undefined ? {} : { rules }),
  })
  return judge(finish(record.replacePod('cart').change(now)).events).damage.map(({ what }) => what)
}

it('a repaired variable may be set in all containers, since version 7 of the rules', () => {
  const everywhere = cartWith(RIGHT, { ...SIDECAR, STOCK: RIGHT.STOCK }, { STOCK: RIGHT.STOCK })
  expect(damageOf(everywhere)).toEqual([])
  expect(damageOf(everywhere, 6)).toEqual([
    'has a new spec.template.spec.containers.sidecar.env.STOCK',
    'has a new spec.template.spec.initContainers.init.env.STOCK',
  ])
})

it.each<[string, ApiObject, string]>([
  ['another value', cartWith(RIGHT, { ...SIDECAR, STOCK: 'other:80' }), 'has a new .*STOCK'],
  ['another variable', cartWith(RIGHT, { ...SIDECAR, POOL: RIGHT.POOL }), 'has a new .*POOL'],
  ['a variable of the sidecar', cartWith(RIGHT, { MODE: 'loud' }), 'MODE'],
])('%s in a sidecar is damage', (_, now, what) => {
  expect(damageOf(now)).toEqual([expect.stringMatching(what)])
})

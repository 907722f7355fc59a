/** Tests which objects a correct repair may add: records of tools, and claims that the repaired workload mounts. */
import { expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { deployment, plain, withSpec } from '../testing/record-builder.ts'
import { damageBy, type Trial } from '../testing/trial.ts'

type Fields = Readonly<Record<string, unknown>>

/** The workload with changed labels or fields of its pod spec. */
const changedCart = (metadata: Fields, podSpec: Fields = {}): ApiObject => {
  const cart = deployment('cart')
  const { template } = cart.spec as { template: { spec: Fields } }
  return {
    ...withSpec(cart, { template: { ...template, spec: { ...template.spec, ...podSpec } } }),
    metadata: { ...cart.metadata, ...metadata },
  }
}
const wrongEnv = { env: [{ name: 'STOCK', value: 'stok:80' }] }
const changeTo =
  (object: ApiObject): Trial['act'] =>
  (record) =>
    record.change(object)
const configMap = (name: string, data: Fields): ApiObject => plain('v1', 'ConfigMap', name, { data })
const helmRelease = (release: readonly string[]): ApiObject => ({
  ...plain('v1', 'Secret', 'sh.helm.release.v1.cart.v2', { data: { release: 'sha256:1' }, release }),
  type: 'helm.sh/release.v1',
})
const applySet = {
  ...plain('v1', 'Secret', 'cart-apply-set', {}),
  metadata: {
    ...plain('v1', 'Secret', 'cart-apply-set', {}).metadata,
    labels: { 'applyset.kubernetes.io/id': 'applyset-1-v1' },
  },
}
const inventory = (key: string): ApiObject => {
  const map = configMap('inventory', { [key]: '' })
  return { ...map, metadata: { ...map.metadata, labels: { 'cli-utils.sigs.k8s.io/inventory-id': '1' } } }
}
const claim = (name: string): ApiObject => plain('v1', 'PersistentVolumeClaim', name, { spec: {} })
const mounting = (claimName: string): ApiObject =>
  changedCart({}, { volumes: [{ name: 'data-volume', persistentVolumeClaim: { claimName } }] })

it.each<[string, Trial]>([
  [
    'the record of a Helm release',
    {
      injected: [deployment('cart', wrongEnv)],
      act: (record) => record.change(deployment('cart')).add(helmRelease(['Deployment/cart'])),
    },
  ],
  [
    'any record of a Helm release in records with older rules',
    { rules: 6, act: (record) => record.add(helmRelease([])) },
  ],
  [
    'the record of an ApplySet',
    {
      injected: [deployment('cart', wrongEnv)],
      act: (record) =>
        record
          .change(changedCart({ labels: { 'applyset.kubernetes.io/part-of': 'applyset-1-v1' } }))
          .add(applySet),
    },
  ],
  [
    'an inventory',
    {
      injected: [deployment('cart', wrongEnv)],
      act: (record) => record.change(deployment('cart')).add(inventory('shop_cart_apps_Deployment')),
    },
  ],
  [
    'a claim with another name that the repaired workload mounts',
    {
      injected: [mounting('missing')],
      act: (record) => record.add(claim('cart-storage')).change(mounting('cart-storage')),
    },
  ],
])('accepts %s', (_, trial) => {
  expect(damageBy(trial)).toEqual([])
})

it.each<[string, ApiObject, Trial['act']]>([
  ['a Helm release without content', helmRelease([]), changeTo(deployment('cart'))],
  ['a Helm release of other objects', helmRelease(['Deployment/stock']), changeTo(deployment('cart'))],
  ['an ApplySet without members', applySet, changeTo(deployment('cart'))],
  ['an inventory of other objects', inventory('shop_stock_apps_Deployment'), changeTo(deployment('cart'))],
  ['a claim that no workload mounts', claim('cart-storage'), changeTo(deployment('cart'))],
])('%s was added', (_, added, act) => {
  const injected = [deployment('cart', wrongEnv)]
  expect(damageBy({ injected, act: (record) => act(record).add(added) })).toContainEqual({
    object: `${added.kind}/${added.metadata.name}`,
    what: 'was added and not removed',
  })
})

it('a new claim with another name is an added object in older records', () => {
  const act: Trial['act'] = (record) => record.add(claim('cart-storage')).change(mounting('cart-storage'))
  expect(damageBy({ injected: [mounting('missing')], act, rules: 6 })).toEqual([
    { object: 'PersistentVolumeClaim/cart-storage', what: 'was added and not removed' },
  ])
})

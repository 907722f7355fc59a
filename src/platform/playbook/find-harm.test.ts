/** Tests that workloads harmed by a playbook are found. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findHarm } from './find-harm.ts'
import { rollBack } from './roll-back.ts'
import { snapshotObjects } from './snapshot-objects.ts'
import { createShop, deployments, SHOP, type Shop } from './testing/shop.ts'

let shop: Shop

beforeEach(async () => {
  shop = await createShop()
})
afterEach(() => shop.stop())

it('finds workloads that are deleted, scaled to zero or stuck, but not those that recover', async () => {
  const { api, clock } = shop
  const signal = new AbortController().signal
  const snapshot = await snapshotObjects(api, SHOP)
  const findHarmInVirtualTime = async (): Promise<readonly string[]> => {
    const found = findHarm(api, snapshot, { clock, signal })
    let isOver = false
    void found.finally(() => {
      isOver = true
    })
    for (let round = 0; round < 100 && !isOver; round += 1) {
      clock.advance(1000)
      await new Promise(setImmediate)
    }
    return found
  }
  const cart = { ...deployments, name: 'cart' }
  expect(await findHarmInVirtualTime()).toEqual([])
  await api.patch(cart, 'merge', { spec: { template: { metadata: { annotations: { again: '1' } } } } })
  expect(await findHarmInVirtualTime()).toEqual([])
  await api.patch(cart, 'merge', { spec: { template: { spec: { nodeSelector: { no: 'where' } } } } })
  await api.delete({ ...deployments, name: 'front' })
  expect(await findHarmInVirtualTime()).toEqual(['Deployment/cart', 'Deployment/front'])
  await rollBack(api, snapshot, clock)
  expect(await findHarmInVirtualTime()).toEqual([])
  await api.patch(cart, 'merge', { spec: { replicas: 0 } })
  expect(await findHarmInVirtualTime()).toEqual(['Deployment/cart'])
})

it('returns only lost workloads if it is aborted', async () => {
  const { api, clock } = shop
  const snapshot = await snapshotObjects(api, SHOP)
  const stuck = { spec: { template: { spec: { nodeSelector: { no: 'where' } } } } }
  await api.patch({ ...deployments, name: 'front' }, 'merge', stuck)
  await api.patch({ ...deployments, name: 'cart' }, 'merge', { spec: { replicas: 0 } })
  const found = await findHarm(api, snapshot, { clock, signal: AbortSignal.abort() })
  expect(found).toEqual(['Deployment/cart'])
})

/** What an operator would see of the harm that was done. */
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

it('finds harm where what was ready is gone, asleep or stuck, and none where it comes back', async () => {
  const { api, clock } = shop
  const signal = new AbortController().signal
  const snapshot = await snapshotObjects(api, SHOP)
  const look = async (): Promise<readonly string[]> => {
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
  expect(await look()).toEqual([])
  await api.patch(cart, 'merge', { spec: { template: { metadata: { annotations: { again: '1' } } } } })
  expect(await look()).toEqual([])
  await api.patch(cart, 'merge', { spec: { template: { spec: { nodeSelector: { no: 'where' } } } } })
  await api.delete({ ...deployments, name: 'front' })
  expect(await look()).toEqual(['Deployment/cart', 'Deployment/front'])
  await rollBack(api, snapshot)
  expect(await look()).toEqual([])
  await api.patch(cart, 'merge', { spec: { replicas: 0 } })
  expect(await look()).toEqual(['Deployment/cart'])
})

it('finds, where time is up, the harm that no waiting would undo', async () => {
  const { api, clock } = shop
  const snapshot = await snapshotObjects(api, SHOP)
  const stuck = { spec: { template: { spec: { nodeSelector: { no: 'where' } } } } }
  await api.patch({ ...deployments, name: 'front' }, 'merge', stuck)
  await api.patch({ ...deployments, name: 'cart' }, 'merge', { spec: { replicas: 0 } })
  const found = await findHarm(api, snapshot, { clock, signal: AbortSignal.abort() })
  expect(found).toEqual(['Deployment/cart'])
})

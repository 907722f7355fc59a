/** Tests the sum of calls over recent baselines. */
import { expect, it } from 'vitest'
import type { EngineCluster } from '#spec'
import { addUsualCalls } from './usual-calls.ts'

const call = (to: string, count: number, errors: number) => ({ from: 'front', to, count, errors })

it('adds the baselines of a cluster, and drops old ones', () => {
  const [cluster, otherCluster] = [{}, {}] as EngineCluster[]
  addUsualCalls(cluster!, [call('cart', 5, 1)])
  expect(addUsualCalls(cluster!, [call('cart', 10, 1), call('stock', 3, 0)])).toEqual([
    call('cart', 15, 2),
    call('stock', 3, 0),
  ])
  expect(addUsualCalls(otherCluster!, [call('cart', 1, 0)])).toEqual([call('cart', 1, 0)])
  for (let episode = 0; episode < 10; episode += 1) addUsualCalls(cluster!, [call('cart', 1, 0)])
  expect(addUsualCalls(cluster!, [])).toEqual([call('cart', 9, 0)])
})

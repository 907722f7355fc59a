/** Tests the sum of calls over recent baselines. */
import { expect, it } from 'vitest'
import type { EngineCluster } from '#spec'
import { addBaselineCalls } from './add-baseline-calls.ts'

const call = (to: string, count: number, errors: number) => ({ from: 'front', to, count, errors })

it('adds the baselines of a cluster, and drops old ones', () => {
  const [cluster, otherCluster] = [{}, {}] as EngineCluster[]
  addBaselineCalls(cluster!, [call('cart', 5, 1)])
  expect(addBaselineCalls(cluster!, [call('cart', 10, 1), call('stock', 3, 0)])).toEqual([
    call('cart', 15, 2),
    call('stock', 3, 0),
  ])
  expect(addBaselineCalls(otherCluster!, [call('cart', 1, 0)])).toEqual([call('cart', 1, 0)])
  for (let episode = 0; episode < 10; episode += 1) addBaselineCalls(cluster!, [call('cart', 1, 0)])
  expect(addBaselineCalls(cluster!, [])).toEqual([call('cart', 9, 0)])
})

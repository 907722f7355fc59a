/** What is remembered of calls while all was well. */
import { expect, it } from 'vitest'
import type { EngineCluster } from '../spec/index.ts'
import { rememberCalls } from './usual-calls.ts'

const call = (to: string, count: number, errors: number) => ({ from: 'front', to, count, errors })

it('adds up what was seen of a cluster, and forgets what is long past', () => {
  const [cluster, other] = [{}, {}] as EngineCluster[]
  rememberCalls(cluster!, [call('cart', 5, 1)])
  expect(rememberCalls(cluster!, [call('cart', 10, 1), call('stock', 3, 0)])).toEqual([
    call('cart', 15, 2),
    call('stock', 3, 0),
  ])
  expect(rememberCalls(other!, [call('cart', 1, 0)])).toEqual([call('cart', 1, 0)])
  for (let episode = 0; episode < 10; episode += 1) rememberCalls(cluster!, [call('cart', 1, 0)])
  expect(rememberCalls(cluster!, [])).toEqual([call('cart', 9, 0)])
})

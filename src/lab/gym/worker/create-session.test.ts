/** Tests that a session of a worker closes or restores its lab cluster when its caller abandons a call. */
import { expect, it, vi } from 'vitest'
import { exampleProblem } from '#lab/testing'
import type { LabClusterKeeper, OpenedLabCluster } from '#lab/workers'
import { createFakeIncident, FAKE_CLUSTER } from '../testing/fake-incident.ts'
import { createSession } from './create-session.ts'

const START = { problem: exampleProblem('a'), seed: 's' }
const SUBMIT = { name: 'submit', input: {} }

const open = (prepared: Promise<void> = Promise.resolve()) => {
  const calls: string[] = []
  const labClusters: LabClusterKeeper = {
    async open({ problem }) {
      calls.push('open')
      await prepared
      const laboratory = { prepare: async () => createFakeIncident(problem) }
      return {
        provisionMs: 0,
        labCluster: { cluster: FAKE_CLUSTER, laboratory },
      } as unknown as OpenedLabCluster
    },
    checkClock() {},
    restore: async () => void calls.push('restore'),
    close: async () => void calls.push('close'),
  }
  const job = { engine: 'local', reward: { share: 0.3, weights: {} } }
  const { signal } = new AbortController()
  const session = createSession({ job, faults: new Map(), labClusters, signal, stage() {} })
  return { session, calls }
}

it('restores the system after an episode, and uses its cluster again', async () => {
  const { session, calls } = open()
  await session.reset(START)
  await session.step(SUBMIT)
  await session.reset(START)
  expect(calls).toEqual(['open', 'restore', 'open'])
})

it('closes the cluster of an episode that its caller has abandoned', async () => {
  const { session, calls } = open()
  await session.reset(START)
  await session.close()
  expect(calls).toEqual(['open', 'close'])
})

it('ends only after a reset that its caller has abandoned', async () => {
  const prepared = Promise.withResolvers<void>()
  const { session, calls } = open(prepared.promise)
  const resetting = session.reset(START)
  const closed = vi.fn()
  const closing = session.close().then(closed)
  await Promise.resolve()
  expect(closed).not.toHaveBeenCalled()
  prepared.resolve()
  await resetting
  await closing
  expect(calls).toEqual(['open', 'close'])
})

/** Tests which processes are kept at fork points. */
import { expect, it } from 'vitest'
import type { ForkedProcess } from '#machine/forks'
import { createForkPoints, type StartedForkPoint } from './create-fork-points.ts'

const createFakeProcess = (): ForkedProcess & { readonly forks: unknown[] } => {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const forks: unknown[] = []
  return {
    pid: 1,
    ended,
    forks,
    onMessage() {},
    send() {},
    async fork(order) {
      forks.push(order)
      return createFakeProcess()
    },
    end: resolve,
  }
}

/** `start` counts how often each process is started. */
const open = (maxMib: number) => {
  const started: string[] = []
  const points = createForkPoints(maxMib)
  const fork = (key: string, mib = 100): Promise<ForkedProcess> =>
    points.fork(
      key,
      async (): Promise<StartedForkPoint> => {
        started.push(key)
        return { process: createFakeProcess(), mib }
      },
      'order',
    )
  const forkAndEnd = async (key: string): Promise<void> => {
    const process = await fork(key)
    process.end()
    await process.ended
  }
  return { points, started, fork, forkAndEnd }
}

it('starts one process for forks with the same key', async () => {
  const { started, fork } = open(1000)
  await Promise.all([fork('a'), fork('a'), fork('b')])
  await fork('a')
  expect(started).toEqual(['a', 'b'])
})

it('ends the processes that were used least recently, above the memory limit', async () => {
  const { points, started, forkAndEnd } = open(200)
  for (const key of ['a', 'b', 'a', 'c']) await forkAndEnd(key)
  expect(points.mib).toBe(200)
  for (const key of ['a', 'c', 'b']) await forkAndEnd(key)
  expect(started).toEqual(['a', 'b', 'c', 'b'])
})

it('keeps processes whose forks run', async () => {
  const { points, started, fork, forkAndEnd } = open(100)
  const running = await fork('a')
  await forkAndEnd('b')
  expect(points.mib).toBe(100)
  await forkAndEnd('a')
  expect(started).toEqual(['a', 'b'])
  running.end()
})

it('starts a process again if it was lost or did not start', async () => {
  const { points, started, fork } = open(1000)
  const failing = points.fork('a', () => Promise.reject(new Error('no memory')), null)
  await expect(failing).rejects.toThrow('no memory')
  const process = createFakeProcess()
  await points.fork('a', async () => ({ process, mib: 1 }), null)
  process.end()
  await process.ended
  await fork('a')
  expect(started).toEqual(['a'])
})

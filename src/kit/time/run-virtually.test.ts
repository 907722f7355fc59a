/** Tests that asynchronous code runs under a virtual clock in a defined order. */
import { expect, it } from 'vitest'
import { sleep } from './clock.ts'
import { runVirtually } from './run-virtually.ts'
import { createVirtualClock } from './virtual-clock.ts'

it('passes virtual time while the work waits, and no longer', async () => {
  const clock = createVirtualClock(0)
  clock.after(90_000, () => expect.unreachable())
  const result = await runVirtually(clock, async () => {
    await sleep(clock, 60_000)
    return clock.now()
  })
  expect(result).toBe(60_000)
  expect(clock.now()).toBe(60_000)
})

it('runs all reactions to a timer before the next timer', async () => {
  const clock = createVirtualClock(0)
  const order: string[] = []
  const work = async (name: string): Promise<void> => {
    await sleep(clock, 10)
    for (let step = 0; step < 3; step += 1) {
      await Promise.resolve()
      order.push(`${name}${step}`)
    }
  }
  await runVirtually(clock, () => Promise.all([work('a'), work('b')]))
  expect(order).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2'])
})

it('runs deferred tasks before time passes', async () => {
  const clock = createVirtualClock(0)
  const times: number[] = []
  await runVirtually(clock, async () => {
    clock.defer(() => times.push(clock.now()))
    await sleep(clock, 5)
    times.push(clock.now())
  })
  expect(times).toEqual([0, 5])
})

it('rejects with the failure of the work', async () => {
  const clock = createVirtualClock(0)
  const work = async (): Promise<void> => {
    await sleep(clock, 1)
    throw new Error('broken')
  }
  await expect(runVirtually(clock, work)).rejects.toThrow('broken')
})

it('rejects if no timer can end the wait', async () => {
  const clock = createVirtualClock(0)
  await expect(runVirtually(clock, () => new Promise(() => {}))).rejects.toThrow(
    'no timer of the virtual clock',
  )
})

/** Tests that asynchronous code runs under a virtual clock in a defined order, and that real work holds the time. */
import { expect, it } from 'vitest'
import { sleep } from './clock.ts'
import { monotonicMs } from './monotonic-time.ts'
import { createVirtualClock } from './virtual-clock.ts'

/** Resolves after real time. */
const waitReally = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

it('passes virtual time while the work waits, and no longer', async () => {
  const clock = createVirtualClock(0)
  clock.after(90_000, () => expect.unreachable())
  const result = await clock.run(async () => {
    await sleep(clock, 60_000)
    return clock.now()
  })
  expect(result).toBe(60_000)
  await waitReally(5)
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
  await clock.run(() => Promise.all([work('a'), work('b')]))
  expect(order).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2'])
})

it('runs deferred tasks before time passes', async () => {
  const clock = createVirtualClock(0)
  const times: number[] = []
  await clock.run(async () => {
    clock.defer(() => times.push(clock.now()))
    await sleep(clock, 5)
    times.push(clock.now())
  })
  expect(times).toEqual([0, 5])
})

it('passes time for works that overlap and that contain each other', async () => {
  const clock = createVirtualClock(0)
  const ends: [string, number][] = []
  const work = (name: string, milliseconds: number) => async (): Promise<void> => {
    await sleep(clock, milliseconds)
    ends.push([name, clock.now()])
  }
  await Promise.all([
    clock.run(() => clock.run(work('inner', 20))),
    clock.run(work('short', 10)),
    clock.run(work('long', 30)),
  ])
  expect(ends).toEqual([
    ['short', 10],
    ['inner', 20],
    ['long', 30],
  ])
})

it('rejects with the failure of the work', async () => {
  const clock = createVirtualClock(0)
  const work = async (): Promise<void> => {
    await sleep(clock, 1)
    throw new Error('broken')
  }
  await expect(clock.run(work)).rejects.toThrow('broken')
})

it('rejects if no timer can end the wait, or if a timer throws', async () => {
  const clock = createVirtualClock(0)
  await expect(clock.run(() => new Promise(() => {}))).rejects.toThrow('no timer of the virtual clock')
  clock.after(1, () => {
    throw new Error('broken timer')
  })
  await expect(clock.run(() => sleep(clock, 2))).rejects.toThrow('broken timer')
})

it('holds the time during real work, also if it fails', async () => {
  const clock = createVirtualClock(0)
  const seen = await clock.run(async () => {
    await sleep(clock, 5)
    await clock.hold(waitReally(20))
    const first = clock.now()
    const failing = waitReally(5).then(() => Promise.reject(new Error('refused')))
    await clock.hold(failing).catch(() => {})
    const second = clock.now()
    await sleep(clock, 5)
    return [first, second, clock.now()]
  })
  expect(seen).toEqual([5, 5, 10])
})

it('keeps the process responsive, and stops when the work ends for a real reason', async () => {
  const clock = createVirtualClock(0)
  const tick = (): void => void clock.after(1, tick)
  tick()
  const start = monotonicMs()
  const aborted = new AbortController()
  setTimeout(() => aborted.abort(), 50)
  await clock.run(
    () => new Promise<void>((resolve) => aborted.signal.addEventListener('abort', () => resolve())),
  )
  expect(monotonicMs() - start).toBeLessThan(2000)
  const stoppedAt = clock.now()
  await waitReally(5)
  expect(clock.now()).toBe(stoppedAt)
})

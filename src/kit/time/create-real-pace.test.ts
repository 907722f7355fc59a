/** Tests a virtual clock that follows real time. */
import { expect, it } from 'vitest'
import { sleep } from './clock.ts'
import { monotonicMs } from './monotonic-time.ts'
import { createVirtualClock } from './virtual-clock.ts'

it('fires timers when real time reaches them, regardless of the order in which they were added', async () => {
  const clock = createVirtualClock(0)
  await clock.run(() => sleep(clock, 60_000))
  const stop = clock.followRealTime()
  const start = monotonicMs()
  const order: string[] = []
  clock.after(60, () => order.push('late'))
  clock.after(20, () => order.push('early'))
  clock.defer(() => order.push('deferred'))
  await sleep(clock, 80)
  expect(order).toEqual(['deferred', 'early', 'late'])
  const passed = monotonicMs() - start
  expect(passed).toBeGreaterThan(75)
  expect(clock.now() - 60_000).toBeGreaterThan(75)
  expect(clock.now() - 60_000).toBeLessThan(passed + 20)
  stop()
})

it('leaves the process alive only until it is stopped, and then passes time with work again', async () => {
  const clock = createVirtualClock(0)
  let isFired = false
  clock.after(10_000, () => {
    isFired = true
  })
  const stop = clock.followRealTime()
  const waiting = clock.run(() => sleep(clock, 20_000))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(isFired).toBe(false)
  stop()
  await waiting
  expect(isFired).toBe(true)
  expect(clock.now()).toBeGreaterThanOrEqual(20_000)
})

it('handles I/O while timers are always due', async () => {
  const clock = createVirtualClock(0)
  const stop = clock.followRealTime()
  const tick = (): void => void clock.after(0, tick)
  tick()
  await new Promise((resolve) => setTimeout(resolve, 40))
  stop()
})

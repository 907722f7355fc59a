/** Tests the time of a simulated container. */
import { expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import { createContainerTime } from './container-time.ts'

const HOUR_MS = 3_600_000

it('can be shifted by several faults, which affect neither the monotonic time nor timers', () => {
  const clock = createVirtualClock(1000)
  const time = createContainerTime(clock)
  const fired: number[] = []
  time.after(500, () => fired.push(clock.now()))
  const remove = time.addFault({ offsetMs: -2 * HOUR_MS, clocks: ['CLOCK_REALTIME'] })
  const removeOther = time.addFault({ offsetMs: HOUR_MS, clocks: ['CLOCK_REALTIME', 'CLOCK_TAI'] })
  time.addFault({ offsetMs: 7, clocks: ['CLOCK_MONOTONIC'] })
  clock.advance(250.5)
  expect(time.now()).toBe(1250.5 - HOUR_MS)
  // As everywhere, since the epoch: spans that started long ago would be rejected.
  expect(time.monotonic()).toBe(1250.5)
  remove()
  remove()
  expect(time.now()).toBe(1250.5 + HOUR_MS)
  removeOther()
  expect(time.now()).toBe(1250.5)
  clock.advance(1000)
  expect(fired).toEqual([1500])
})

it('cancels timers, and fires none after the end of the container', () => {
  const clock = createVirtualClock(0)
  const time = createContainerTime(clock)
  const fired: string[] = []
  time.after(10, () => fired.push('first'))
  const cancel = time.after(10, () => fired.push('cancelled'))
  time.after(20, () => fired.push('after the end'))
  cancel()
  clock.advance(15)
  cancel()
  time.close()
  time.after(1, () => fired.push('started after the end'))
  clock.advance(100)
  expect(fired).toEqual(['first'])
})

it('advances the time even if a program repeats a task without a delay', () => {
  const clock = createVirtualClock(0)
  const time = createContainerTime(clock)
  let count = 0
  const repeat = (): void => {
    count += 1
    time.after(0, repeat)
  }
  repeat()
  clock.advance(50)
  expect(count).toBe(51)
})

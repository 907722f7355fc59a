/** Tests of the timers of a virtual clock. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTimerHeap } from './timer-heap.ts'

describe('createTimerHeap', () => {
  it('returns the timers that were not cancelled, ordered by time and then by registration', () => {
    const timer = fc.record({ at: fc.nat(50), cancelled: fc.boolean() })
    fc.assert(
      fc.property(fc.array(timer, { maxLength: 200 }), (timers) => {
        const heap = createTimerHeap()
        const taken: number[] = []
        const cancels = timers.map(({ at }, index) => heap.add(at, () => taken.push(index)))
        for (const [index, { cancelled }] of timers.entries()) if (cancelled) cancels[index]!()
        for (let next = heap.take(50); next !== undefined; next = heap.take(50)) next.task()
        const expected = [...timers.entries()]
          .filter(([, { cancelled }]) => !cancelled)
          .sort(([i, a], [j, b]) => a.at - b.at || i - j)
          .map(([index]) => index)
        expect(taken).toEqual(expected)
        expect(heap.size).toBe(0)
      }),
    )
  })

  it('drops cancelled timers before they are due', () => {
    const heap = createTimerHeap()
    heap.add(1, () => {})
    for (let round = 0; round < 10_000; round += 1) heap.add(1_000_000, () => {})()
    expect(heap.size).toBeLessThan(100)
    expect(heap.take(10)?.at).toBe(1)
  })

  it('ignores the cancellation of a timer that has run, and repeated cancellations', () => {
    const heap = createTimerHeap()
    const cancel = heap.add(1, () => {})
    heap.take(1)
    for (let time = 0; time < 100; time += 1) cancel()
    for (let at = 2; at < 100; at += 1) heap.add(at, () => {})
    expect(heap.size).toBe(98)
  })
})

/** Tests the order of timers and deferred tasks of the virtual clock. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createVirtualClock } from './virtual-clock.ts'

describe('createVirtualClock', () => {
  it('runs timers in order of time, and in order of registration if times are equal', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 60 }), (delays) => {
        const clock = createVirtualClock(0)
        const ran: [at: number, index: number][] = []
        for (const [index, delay] of delays.entries())
          clock.after(delay, () => ran.push([clock.now(), index]))
        clock.advance(50)
        const expected = delays
          .map((delay, index): [number, number] => [delay, index])
          .sort(([a, i], [b, j]) => a - b || i - j)
        expect(ran).toEqual(expected)
      }),
    )
  })

  it('runs a deferred task after the task that deferred it, at the same time', () => {
    const clock = createVirtualClock(0)
    const order: string[] = []
    clock.after(10, () => {
      clock.defer(() => order.push(`deferred at ${clock.now()}`))
      order.push('timer')
    })
    clock.after(10, () => order.push('second timer'))
    clock.advance(20)
    expect(order).toEqual(['timer', 'deferred at 10', 'second timer'])
    expect(clock.now()).toBe(20)
  })

  it('skips cancelled timers, and stops when the condition holds', () => {
    const clock = createVirtualClock(0)
    let ticks = 0
    const tick = (): void => {
      ticks += 1
      clock.after(5, tick)
    }
    clock.after(5, tick)
    clock
      .after(7, () => {
        ticks = 100
      })
      .cancel()
    expect(clock.advanceUntil(() => ticks === 3, 1000)).toBe(true)
    expect(clock.now()).toBe(15)
    expect(clock.advanceUntil(() => ticks === 100, 20)).toBe(false)
    expect(clock.now()).toBe(35)
  })

  it('continues after a deferred task that threw, and runs no task twice', () => {
    const clock = createVirtualClock(0)
    const ran: string[] = []
    clock.defer(() => ran.push('first'))
    clock.defer(() => {
      throw new Error('broken')
    })
    clock.defer(() => ran.push('last'))
    expect(() => clock.advance(0)).toThrow('broken')
    clock.advance(0)
    expect(ran).toEqual(['first', 'last'])
  })
})

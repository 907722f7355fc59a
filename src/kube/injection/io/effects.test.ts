/** Which calls are hit, and how data is spoilt. */
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../kit/index.ts'
import { createEffects, spoil, UNHARMED } from './effects.ts'

const latency = (delayMs: number) => ({ kind: 'latency', delayMs }) as const

describe('effects', () => {
  it('add up over the rules that a call meets', () => {
    const effects = createEffects(createRandom(1))
    effects.add(1, { volumePath: '/d', percent: 100, effect: latency(10), methods: ['read'] })
    effects.add(2, { volumePath: '/d', percent: 100, effect: latency(5), path: '/d/a*' })
    effects.add(3, { volumePath: '/d', percent: 100, effect: { kind: 'error', errno: 5 }, path: '/d/abc' })
    effects.add(4, { volumePath: '/d', percent: 100, effect: { kind: 'error', errno: 28 } })
    const judge = (method: string, ...paths: string[]) => effects.judge(method, () => paths)
    expect(judge('read', '/d/abc')).toMatchObject({ delayMs: 15, errno: 5 })
    expect(judge('write', '/d/b', '/d/ab')).toMatchObject({ delayMs: 5, errno: 28 })
    effects.remove(4)
    expect(judge('write', '/d/b')).toEqual(UNHARMED)
    effects.clear()
    expect(judge('read', '/d/abc')).toEqual(UNHARMED)
  })

  it('hit the share that they are told', () => {
    const effects = createEffects(createRandom(2))
    effects.add(1, { volumePath: '/d', percent: 30, effect: latency(1) })
    const hits = Array.from({ length: 2000 }, () => effects.judge('read', () => ['/d']).delayMs)
    const share = hits.filter((delay) => delay > 0).length / hits.length
    expect(share).toBeGreaterThan(0.26)
    expect(share).toBeLessThan(0.34)
  })
})

describe('mistakes', () => {
  it('are no longer and no more than allowed, and stay inside the data', () => {
    const random = createRandom(3)
    for (let round = 0; round < 200; round += 1) {
      const data = Buffer.alloc(64, 1)
      spoil(data, { kind: 'mistake', filling: 'zero', maxOccurrences: 2, maxLength: 4 }, random)
      const wrong = data.filter((byte) => byte === 0).length
      expect(wrong).toBeGreaterThanOrEqual(1)
      expect(wrong).toBeLessThanOrEqual(8)
    }
    const nothing = Buffer.alloc(0)
    spoil(nothing, { kind: 'mistake', filling: 'random', maxOccurrences: 2, maxLength: 4 }, random)
    expect(nothing.length).toBe(0)
  })
})

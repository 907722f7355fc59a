/** Tests which calls are affected and how data is corrupted. */
import { describe, expect, it } from 'vitest'
import { createRandom } from '#kit'
import { corrupt, createEffects, UNAFFECTED } from './effects.ts'

const latency = (delayMs: number) => ({ kind: 'latency', delayMs }) as const

describe('effects', () => {
  it('are combined over all matching rules', () => {
    const effects = createEffects(createRandom(1))
    effects.add(1, { volumePath: '/d', percent: 100, effect: latency(10), methods: ['read'] })
    effects.add(2, { volumePath: '/d', percent: 100, effect: latency(5), path: '/d/a*' })
    effects.add(3, { volumePath: '/d', percent: 100, effect: { kind: 'error', errno: 5 }, path: '/d/abc' })
    effects.add(4, { volumePath: '/d', percent: 100, effect: { kind: 'error', errno: 28 } })
    const effectsOn = (method: string, ...paths: string[]) => effects.effectsOn(method, () => paths)
    expect(effectsOn('read', '/d/abc')).toMatchObject({ delayMs: 15, errno: 5 })
    expect(effectsOn('write', '/d/b', '/d/ab')).toMatchObject({ delayMs: 5, errno: 28 })
    effects.remove(4)
    expect(effectsOn('write', '/d/b')).toEqual(UNAFFECTED)
    effects.clear()
    expect(effectsOn('read', '/d/abc')).toEqual(UNAFFECTED)
  })

  it('affect the requested percentage of calls', () => {
    const effects = createEffects(createRandom(2))
    effects.add(1, { volumePath: '/d', percent: 30, effect: latency(1) })
    const delays = Array.from({ length: 2000 }, () => effects.effectsOn('read', () => ['/d']).delayMs)
    const share = delays.filter((delay) => delay > 0).length / delays.length
    expect(share).toBeGreaterThan(0.26)
    expect(share).toBeLessThan(0.34)
  })
})

describe('mistakes', () => {
  it('respect the limits and stay inside the data', () => {
    const random = createRandom(3)
    for (let round = 0; round < 200; round += 1) {
      const data = Buffer.alloc(64, 1)
      corrupt(data, { kind: 'mistake', filling: 'zero', maxOccurrences: 2, maxLength: 4 }, random)
      const wrong = data.filter((byte) => byte === 0).length
      expect(wrong).toBeGreaterThanOrEqual(1)
      expect(wrong).toBeLessThanOrEqual(8)
    }
    const empty = Buffer.alloc(0)
    corrupt(empty, { kind: 'mistake', filling: 'random', maxOccurrences: 2, maxLength: 4 }, random)
    expect(empty.length).toBe(0)
  })
})

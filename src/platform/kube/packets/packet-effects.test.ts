/** Tests the statistics of packet effects. */
import { describe, expect, it } from 'vitest'
import { createRandom } from '#kit'
import type { PacketEffects } from '#platform/kube/ports'
import { createEffectsState, needsWholePackets, nextCopies, touchesPackets } from './packet-effects.ts'

const applyToMany = (effects: PacketEffects, count = 4000) => {
  const random = createRandom('packets')
  const state = createEffectsState(effects, random)
  return Array.from({ length: count }, () => nextCopies(state, random))
}

describe('the effects on a packet', () => {
  it('lose the requested share in every range of packets', () => {
    const results = applyToMany({ loss: { percent: 50, correlation: 0 } })
    for (let from = 0; from < results.length; from += 400) {
      const lost = results.slice(from, from + 400).filter((copies) => copies.length === 0).length
      expect(lost).toBeGreaterThan(190)
      expect(lost).toBeLessThan(210)
    }
  })

  it('lose packets without a pattern', () => {
    const results = applyToMany({ loss: { percent: 50, correlation: 0 } })
    const repeats = results.filter((copies, index) => copies.length === results[index + 1]?.length).length
    expect(repeats / results.length).toBeGreaterThan(0.45)
    expect(repeats / results.length).toBeLessThan(0.55)
  })

  it('lose packets in bursts if losses are correlated', () => {
    const results = applyToMany({ loss: { percent: 50, correlation: 90 } })
    const repeats = results.filter((copies, index) => copies.length === results[index + 1]?.length).length
    expect(repeats / results.length).toBeGreaterThan(0.75)
  })

  it('lose every packet at 100 % and none at 0 %', () => {
    expect(applyToMany({ loss: { percent: 100, correlation: 0 } }).every(({ length }) => length === 0)).toBe(
      true,
    )
    expect(applyToMany({ loss: { percent: 0, correlation: 0 } }).every(({ length }) => length === 1)).toBe(
      true,
    )
  })

  it('spread delays over the whole range of the jitter', () => {
    const delays = applyToMany({ delay: { latencyMs: 100, jitterMs: 20, correlation: 0 } }).map(
      ([copy]) => copy!.delayMs,
    )
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(80)
    expect(Math.min(...delays)).toBeLessThan(81)
    expect(Math.max(...delays)).toBeLessThanOrEqual(120)
    expect(Math.max(...delays)).toBeGreaterThan(119)
  })

  it('never have a negative delay', () => {
    const delays = applyToMany({ delay: { latencyMs: 1, jitterMs: 20, correlation: 0 } })
    expect(delays.every(([copy]) => copy!.delayMs >= 0)).toBe(true)
  })

  it('let the requested share of packets overtake the others', () => {
    const results = applyToMany({
      delay: { latencyMs: 100, jitterMs: 0, correlation: 0 },
      reorder: { percent: 25, correlation: 0, gap: 1 },
    })
    const early = results.filter(([copy]) => copy!.delayMs === 0).length
    expect(early / results.length).toBeCloseTo(0.25, 1)
  })

  it('let only every fifth packet overtake if the gap is five', () => {
    const results = applyToMany(
      {
        delay: { latencyMs: 100, jitterMs: 0, correlation: 0 },
        reorder: { percent: 100, correlation: 0, gap: 5 },
      },
      20,
    )
    const early = results.flatMap(([copy], index) => (copy!.delayMs === 0 ? [index] : []))
    expect(early).toEqual([4, 9, 14, 19])
  })

  it('duplicate and corrupt the requested shares', () => {
    const results = applyToMany({
      duplicate: { percent: 30, correlation: 0 },
      corrupt: { percent: 10, correlation: 0 },
    })
    const copies = results.flat()
    expect(copies.length / results.length).toBeCloseTo(1.3, 1)
    expect(copies.filter(({ corrupt }) => corrupt).length / copies.length).toBeCloseTo(0.1, 1)
  })

  it('need whole packets only to delay, duplicate or corrupt them', () => {
    expect(needsWholePackets({ loss: { percent: 5, correlation: 0 } })).toBe(false)
    expect(touchesPackets({ loss: { percent: 5, correlation: 0 } })).toBe(true)
    expect(needsWholePackets({ delay: { latencyMs: 1, jitterMs: 0, correlation: 0 } })).toBe(true)
    expect(needsWholePackets({ corrupt: { percent: 1, correlation: 0 } })).toBe(true)
    expect(touchesPackets({ bandwidth: { rate: 1, limit: 1, buffer: 1 } })).toBe(false)
  })
})

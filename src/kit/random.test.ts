/** Tests the random numbers and names that a seed determines. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from './random.ts'

const drawNumbers = (seed: number | string, count: number): number[] => {
  const random = createRandom(seed)
  return Array.from({ length: count }, () => random.next())
}

describe('createRandom', () => {
  it('returns the same sequence for the same seed, and a different one for another seed', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(drawNumbers(a, 8)).toEqual(drawNumbers(a, 8))
        if (a !== b) expect(drawNumbers(a, 8)).not.toEqual(drawNumbers(b, 8))
      }),
    )
    expect(drawNumbers(7, 8)).toEqual(drawNumbers('7', 8))
  })

  it('draws evenly distributed numbers within the bounds', () => {
    const random = createRandom('spread')
    const counts = new Array<number>(10).fill(0)
    for (let round = 0; round < 10_000; round += 1) counts[random.below(10)]! += 1
    expect(counts).toHaveLength(10)
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150)
    for (const value of drawNumbers('bounds', 10_000)) {
      expect(value).toBeGreaterThanOrEqual(0)
      expect(value).toBeLessThan(1)
    }
    expect(random.below(1)).toBe(0)
  })

  it('creates unique UUIDs of version 4', () => {
    const random = createRandom('uuid')
    const uuids = Array.from({ length: 2000 }, () => random.uuid())
    for (const uuid of uuids)
      expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(new Set(uuids).size).toBe(uuids.length)
  })

  it('creates suffixes from the whole alphabet of generated names', () => {
    const random = createRandom('suffix')
    const characters = new Set(Array.from({ length: 500 }, () => random.suffix(5)).join(''))
    expect([...characters].sort().join('')).toBe('2456789bcdfghjklmnpqrstvwxz')
    expect(random.suffix(10)).toHaveLength(10)
    expect(random.suffix(0)).toBe('')
  })
})

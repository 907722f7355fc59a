/** Tests of the suggestion for a mistyped name. */
import { describe, expect, it } from 'vitest'
import { findNearestName } from './find-nearest-name.ts'

describe('findNearestName', () => {
  it.each([
    ['tset', 'test'],
    ['docter', 'doctor'],
    ['DOCTOR', 'doctor'],
    ['cluste', 'cluster'],
    ['xyz', undefined],
    ['', undefined],
  ])('for %j, suggests %j', (typed, expected) => {
    expect(findNearestName(typed, ['test', 'doctor', 'cluster'])).toBe(expected)
  })

  it('finds no name for a very long input, and returns quickly', () => {
    expect(findNearestName('x'.repeat(4_000_000), ['test', 'doctor'])).toBeUndefined()
  })

  it('returns undefined if there are no names', () => {
    expect(findNearestName('test', [])).toBeUndefined()
  })
})

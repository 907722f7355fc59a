/** Tests of the guess at a mistyped name. */
import { describe, expect, it } from 'vitest'
import { nearestName } from './nearest-name.ts'

describe('nearestName', () => {
  it.each([
    ['tset', 'test'],
    ['docter', 'doctor'],
    ['DOCTOR', 'doctor'],
    ['cluste', 'cluster'],
    ['xyz', undefined],
    ['', undefined],
  ])('takes %j for %j', (given, meant) => {
    expect(nearestName(given, ['test', 'doctor', 'cluster'])).toBe(meant)
  })

  it('is quick with a name that nobody could mean', () => {
    expect(nearestName('x'.repeat(4_000_000), ['test', 'doctor'])).toBeUndefined()
  })

  it('knows nothing where there are no names', () => {
    expect(nearestName('test', [])).toBeUndefined()
  })
})

/** Tests of caches for what is derived from objects. */
import { expect, it } from 'vitest'
import { cachePerObject, cachePerPair } from './cache-per-object.ts'

it('derives a value once for each object, also if the value is undefined', () => {
  const derived: object[] = []
  const derive = cachePerObject((object: { readonly name?: string }) => {
    derived.push(object)
    return object.name
  })
  const [named, unnamed] = [{ name: 'cart' }, {}]
  expect([derive(named), derive(unnamed), derive(named), derive(unnamed)]).toEqual([
    'cart',
    undefined,
    'cart',
    undefined,
  ])
  expect(derived).toEqual([named, unnamed])
})

it('compares a pair once, and other pairs of the same objects again', () => {
  let comparisons = 0
  const compare = cachePerPair((a, b) => {
    comparisons += 1
    return JSON.stringify(a) === JSON.stringify(b)
  })
  const [first, second, third] = [{ size: 1 }, { size: 1 }, { size: 2 }]
  expect([compare(first, second), compare(first, third), compare(first, second)]).toEqual([true, false, true])
  expect(comparisons).toBe(2)
})

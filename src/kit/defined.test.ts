/** Tests that undefined members are dropped, and no others. */
import { expect, it } from 'vitest'
import { defined } from './defined.ts'

it('keeps members with a value, falsy ones included', () => {
  expect(defined({ a: 0, b: '', c: false, d: null })).toEqual({ a: 0, b: '', c: false, d: null })
})

it('drops undefined members, so that the result has no such keys', () => {
  const { a, b }: { a?: number; b: number } = { b: 1 }
  expect(Object.keys(defined({ a, b }))).toEqual(['b'])
})

it('keeps the order of the members', () => {
  const members: Record<string, number | undefined> = { z: 1, m: undefined, a: 2, b: 3 }
  expect(Object.keys(defined(members))).toEqual(['z', 'a', 'b'])
})

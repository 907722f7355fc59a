/** Tests of the comparison of three versions of a value. */
import { expect, it } from 'vitest'
import { driftOf } from './drift.ts'

const driftOfField = (now: unknown, baseline: unknown, injected = baseline): string[] =>
  driftOf({ now: { field: now }, baseline: { field: baseline }, injected: { field: injected } })

it('treats empty values as absent', () => {
  expect(driftOfField({ a: 1, b: {}, c: [], d: null }, { a: 1 })).toEqual([])
})

it('allows changes where the fault changed the value, and reports others', () => {
  const [baseline, injected] = [
    { a: 1, b: 2 },
    { a: 9, b: 2 },
  ]
  expect(driftOfField({ a: 5, b: 2 }, baseline, injected)).toEqual([])
  expect(driftOfField({ a: 5, b: 3, c: 4 }, baseline, injected)).toEqual([
    'has a different field.b',
    'has a new field.c',
  ])
  expect(driftOfField(undefined, baseline, injected)).toEqual(['lost field.b'])
})

it('identifies entries of lists by name, in any order', () => {
  const list = [
    { name: 'a', value: '1' },
    { name: 'b', value: '2' },
  ]
  expect(driftOfField(list.toReversed(), list)).toEqual([])
  expect(driftOfField([...list, { name: 'c' }], list)).toEqual(['has a new field.c'])
  expect(driftOfField([{ name: 'a', value: '3' }], list)).toEqual([
    'has a different field.a.value',
    'lost field.b',
  ])
})

it('compares JSON strings by content', () => {
  const [baseline, injected] = ['{"host":"a","port":1}', '{"host":"x","port":1}']
  expect(driftOfField('{ "port": 1,\n "host": "b" }', baseline, injected)).toEqual([])
  expect(driftOfField('{"host":"a"}', baseline, injected)).toEqual(['lost field.port'])
  expect(driftOfField('host=a', baseline, injected)).toEqual(['has a different field'])
})

it('allows at most as many changed lines in a string as the fault changed', () => {
  const [baseline, injected] = ['a = 1\nb = 2\nc = 3\n', 'a = 1\nb = 9\nc = 3\n']
  expect(driftOfField('a = 1\nb = 5\nc = 3\n', baseline, injected)).toEqual([])
  expect(driftOfField('b = 2\n', baseline, injected)).toEqual(['has a different field'])
  expect(driftOfField('a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n', baseline, injected)).toEqual([
    'has a different field',
  ])
})

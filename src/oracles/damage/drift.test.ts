/** What is told of three versions of one thing. */
import { expect, it } from 'vitest'
import { driftOf } from './drift.ts'

const drift = (now: unknown, baseline: unknown, injected = baseline): string[] =>
  driftOf({ now: { it: now }, baseline: { it: baseline }, injected: { it: injected } })

it('takes nothing for the same as nothing said', () => {
  expect(drift({ a: 1, b: {}, c: [], d: null }, { a: 1 })).toEqual([])
})

it('lets be what the fault has changed, and tells what it has not', () => {
  const [was, left] = [
    { a: 1, b: 2 },
    { a: 9, b: 2 },
  ]
  expect(drift({ a: 5, b: 2 }, was, left)).toEqual([])
  expect(drift({ a: 5, b: 3, c: 4 }, was, left)).toEqual(['has another it.b', 'has got it.c'])
  expect(drift(undefined, was, left)).toEqual(['has lost it.b'])
})

it('tells entries of lists by their names, in whatever order they are', () => {
  const list = [
    { name: 'a', value: '1' },
    { name: 'b', value: '2' },
  ]
  expect(drift(list.toReversed(), list)).toEqual([])
  expect(drift([...list, { name: 'c' }], list)).toEqual(['has got it.c'])
  expect(drift([{ name: 'a', value: '3' }], list)).toEqual(['has another it.a.value', 'has lost it.b'])
})

it('looks into files of JSON, however they are written', () => {
  const [was, left] = ['{"host":"a","port":1}', '{"host":"x","port":1}']
  expect(drift('{ "port": 1,\n "host": "b" }', was, left)).toEqual([])
  expect(drift('{"host":"a"}', was, left)).toEqual(['has lost it.port'])
  expect(drift('host=a', was, left)).toEqual(['has another it'])
})

it('lets just the lines of a text be changed that the fault has changed', () => {
  const [was, left] = ['a = 1\nb = 2\nc = 3\n', 'a = 1\nb = 9\nc = 3\n']
  expect(drift('a = 1\nb = 5\nc = 3\n', was, left)).toEqual([])
  expect(drift('b = 2\n', was, left)).toEqual(['has another it'])
  expect(drift('a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n', was, left)).toEqual(['has another it'])
})

/** Tests which values are plain objects. */
import { expect, it } from 'vitest'
import { isPlainObject } from './is-plain-object.ts'

it.each([{}, { a: 1 }, Object.create(null), JSON.parse('{"__proto__": 1}')])('accepts %j', (value) => {
  expect(isPlainObject(value)).toBe(true)
})

it.each([null, undefined, [], 'text', 1, new Date(0), new Map(), () => {}])('rejects %s', (value) => {
  expect(isPlainObject(value)).toBe(false)
})

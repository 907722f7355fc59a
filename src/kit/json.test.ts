/** Tests of comparing, copying and freezing JSON values. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cloneJson, deepEqual, deepFreeze } from './json.ts'

const reorder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reorder)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reorder(member)]),
  )
}

describe('deepEqual', () => {
  it('ignores the order of keys', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => deepEqual(value, reorder(value))))
  })

  it('agrees with strict deep comparison', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (a, b) => {
        let same = true
        try {
          expect(JSON.parse(JSON.stringify(a))).toStrictEqual(JSON.parse(JSON.stringify(b)))
        } catch {
          same = false
        }
        return deepEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))) === same
      }),
    )
  })

  it('distinguishes arrays from objects, and treats undefined members as absent', () => {
    expect(deepEqual([], {})).toBe(false)
    expect(deepEqual({ a: null }, {})).toBe(false)
    expect(deepEqual({ a: undefined }, {})).toBe(true)
    expect(deepEqual({ a: undefined, b: 1 }, { b: 1, c: 2 })).toBe(false)
    expect(deepEqual([1, 2], [1])).toBe(false)
    expect(deepEqual({ toString: 1 }, { x: 1 })).toBe(false)
  })
})

describe('cloneJson', () => {
  it('returns an equal value that shares no container', () => {
    const original = deepFreeze({ a: { b: [{ c: 1 }, null] }, d: 'x' })
    const copy = cloneJson(original)
    expect(copy).toStrictEqual(original)
    ;(copy.a.b[0] as { c: number }).c = 2
    expect(original.a.b[0]).toEqual({ c: 1 })
  })

  it('copies a member named __proto__ as a plain member', () => {
    const copy = cloneJson(JSON.parse('{"__proto__":{"x":1}}'))
    expect(Object.keys(copy)).toEqual(['__proto__'])
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"x":1}}')
  })
})

describe('deepFreeze', () => {
  it('makes later changes throw', () => {
    const frozen = deepFreeze({ list: [{ a: 1 }] })
    expect(() => {
      frozen.list[0]!.a = 2
    }).toThrow(TypeError)
  })
})

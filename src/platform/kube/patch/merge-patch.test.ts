/** Tests of JSON Merge Patch. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '#kit'
import { applyMergePatch } from './merge-patch.ts'

const objects = fc
  .dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)))

describe('applyMergePatch', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ a: 'foo' }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('merges %j with %j into %j', (document, patch, expected) => {
    expect(applyMergePatch(deepFreeze(document), deepFreeze(patch))).toEqual(expected)
  })

  it('shares unchanged parts', () => {
    const document = deepFreeze({ spec: { a: [1, 2], b: { c: 1 } }, status: { d: 1 } })
    const result = applyMergePatch(document, { spec: { b: { c: 2 } } })
    expect(result.status).toBe(document.status)
    expect(result.spec.a).toBe(document.spec.a)
    expect(applyMergePatch(document, { spec: { a: [1, 2] }, x: null })).toBe(document)
  })

  it('is idempotent, and an empty patch changes nothing', () => {
    fc.assert(
      fc.property(objects, objects, (document, patch) => {
        const once = applyMergePatch(deepFreeze(document), deepFreeze(patch))
        expect(applyMergePatch(once, patch)).toEqual(once)
        expect(applyMergePatch(document, {})).toBe(document)
      }),
    )
  })

  it('rejects a patch that is not an object', () => {
    expect(() => applyMergePatch({}, [])).toThrow(
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    )
  })
})

/** Tests that copies equal the result of serialising and parsing JSON. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { copyAsJson } from './copy-as-json.ts'

const viaText = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null')

it('copies every value as serialising and parsing would', () => {
  const leaf = fc.oneof(
    fc.constantFrom(undefined, null, -0, Number.NaN, Number.POSITIVE_INFINITY, new Date(0), () => 1),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.string(),
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ depthSize: 'small' }, leaf, tie('list'), tie('map')),
    list: fc.array(tie('tree'), { maxLength: 4 }),
    map: fc.dictionary(fc.string(), tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  }))
  fc.assert(
    fc.property(tree, (value) => {
      expect(copyAsJson(value).value).toStrictEqual(viaText(value))
    }),
  )
})

it('counts the bytes of the text', () => {
  for (const value of [null, [], {}, [1, 22, -333, 4444], { a: 'é', b: [true, false, null], c: 0.25 }])
    expect(copyAsJson(value).bytes).toBe(Buffer.byteLength(JSON.stringify(value)))
})

it('shares no objects with the original', () => {
  const inner = [1]
  const original = { inner }
  const { value } = copyAsJson(original)
  inner.push(2)
  expect(value).toEqual({ inner: [1] })
})

it('rejects values that JSON cannot represent', () => {
  expect(() => copyAsJson({ a: 1n })).toThrow(TypeError)
})

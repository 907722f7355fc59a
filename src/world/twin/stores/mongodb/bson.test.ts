/** Tests that the BSON codec and the reference library are compatible. */
import * as reference from 'bson'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processHost } from '../process-host.ts'
import { Binary, ObjectId, parseBson, RawValue, toBson } from './bson.ts'
import { createObjectIds } from './object-ids.ts'

describe('bson', () => {
  it('parses documents that the reference library wrote', () => {
    const id = new reference.ObjectId()
    const bytes = reference.serialize({
      _id: id,
      name: 'Käse',
      whole: 7,
      large: reference.Long.fromString('9007199254740000'),
      huge: reference.Long.MAX_VALUE,
      part: 0.5,
      yes: true,
      nothing: null,
      when: new Date(5),
      bytes: new reference.Binary(Buffer.from('abc'), 4),
      list: [1, 'two', { three: 3 }],
    })
    expect(parseBson(Buffer.from(bytes))).toEqual({
      _id: new ObjectId(id.toHexString()),
      name: 'Käse',
      whole: 7,
      large: 9007199254740000,
      huge: 9223372036854775807n,
      part: 0.5,
      yes: true,
      nothing: null,
      when: new Date(5),
      bytes: new Binary(Buffer.from('abc'), 4),
      list: [1, 'two', { three: 3 }],
    })
  })

  it('writes documents that the reference library parses', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'grapheme' }),
        fc.integer(),
        fc.double({ noNaN: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tie('any'), { maxKeys: 3, noNullPrototype: true }),
      ),
    })).any
    fc.assert(
      fc.property(fc.record({ value }), (document) => {
        expect(reference.deserialize(toBson(document as object))).toEqual(document)
        expect(parseBson(toBson(document as object))).toEqual(document)
      }),
      { numRuns: 200 },
    )
  })

  it('preserves values of unsupported types', () => {
    const bytes = reference.serialize({
      at: new reference.Timestamp({ t: 3, i: 4 }),
      price: reference.Decimal128.fromString('1.25'),
      pattern: /ab+/i,
      least: new reference.MinKey(),
    })
    const parsed = parseBson(Buffer.from(bytes))
    expect(parsed.at).toBeInstanceOf(RawValue)
    expect(toBson(parsed)).toEqual(Buffer.from(bytes))
  })

  it('preserves dates beyond the range of Date', () => {
    const bytes = toBson({ at: new Date(0) })
    bytes.writeBigInt64LE(2n ** 60n, 8)
    expect(toBson(parseBson(bytes))).toEqual(bytes)
  })

  it('omits undefined fields and never sets a prototype', () => {
    expect(parseBson(toBson({ a: undefined, b: 1 }))).toEqual({ b: 1 })
    const parsed = parseBson(Buffer.from(reference.serialize(JSON.parse('{"__proto__": {"x": 1}}'))))
    expect(Object.keys(parsed)).toEqual(['__proto__'])
    expect((parsed as { x?: number }).x).toBeUndefined()
  })

  it.each([
    ['a truncated document', Buffer.from([20, 0, 0, 0, 2])],
    ['a document that ends before its stated length', Buffer.from([6, 0, 0, 0, 0, 0])],
    ['a value of an unknown type', Buffer.from([8, 0, 0, 0, 0x42, 97, 0, 0])],
    ['a document that is too short for a length', Buffer.from([1])],
  ])('rejects %s', (_, bytes) => {
    expect(() => parseBson(bytes)).toThrow(/^BSON: /)
  })

  it('creates distinct ids of 24 hexadecimal digits', () => {
    const create = createObjectIds(processHost)
    const ids = Array.from({ length: 100 }, () => create().hex)
    expect(new Set(ids).size).toBe(100)
    expect(ids.every((id) => /^[0-9a-f]{24}$/.test(id))).toBe(true)
  })
})

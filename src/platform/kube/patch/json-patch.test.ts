/** Tests of JSON Patch. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepEqual, deepFreeze, isPlainObject } from '#kit'
import { ApiError } from '#platform/kube/meta'
import { applyJsonPatch } from './json-patch.ts'

type Fields = Record<string, unknown>

/** Returns the operations that turn `a` into `b`. Lists are emptied from the end and rebuilt. */
const difference = (a: unknown, b: unknown, path = ''): object[] => {
  if (deepEqual(a, b)) return []
  if (isPlainObject(a) && isPlainObject(b)) {
    const pathOf = (key: string): string => `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return [
      ...Object.keys(a)
        .filter((key) => !Object.hasOwn(b, key))
        .map((key) => ({ op: 'remove', path: pathOf(key) })),
      ...Object.keys(b).flatMap((key) =>
        Object.hasOwn(a, key)
          ? difference(a[key], b[key], pathOf(key))
          : [{ op: 'add', path: pathOf(key), value: b[key] }],
      ),
    ]
  }
  if (!Array.isArray(a) || !Array.isArray(b)) return [{ op: 'replace', path, value: b }]
  return [
    ...a.map((_, index) => ({ op: 'remove', path: `${path}/${a.length - 1 - index}` })),
    ...b.map((value, index) => ({ op: 'add', path: `${path}/${index % 2 === 0 ? '-' : index}`, value })),
  ]
}

const expectApiError = (run: () => unknown): ApiError => {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('expected an ApiError')
}

const document = deepFreeze({
  metadata: { labels: { app: 'web' }, annotations: { 'a/b': '1', 'c~d': '2' } },
  spec: { replicas: 1, args: ['a', 'b', 'c'] },
})

const perform = (...operations: object[]) => applyJsonPatch(document, operations) as any

describe('applyJsonPatch', () => {
  it('performs every kind of operation', () => {
    expect(perform({ op: 'add', path: '/spec/args/1', value: 'x' }).spec.args).toEqual(['a', 'x', 'b', 'c'])
    expect(perform({ op: 'add', path: '/spec/args/-', value: 'x' }).spec.args).toEqual(['a', 'b', 'c', 'x'])
    expect(perform({ op: 'remove', path: '/spec/args/0' }).spec.args).toEqual(['b', 'c'])
    expect(perform({ op: 'replace', path: '/spec/replicas', value: 3 }).spec.replicas).toBe(3)
    expect(perform({ op: 'copy', from: '/spec/args', path: '/spec/command' }).spec.command).toEqual([
      'a',
      'b',
      'c',
    ])
    const moved = perform({ op: 'move', from: '/spec/args/0', path: '/spec/first' })
    expect(moved.spec).toEqual({ replicas: 1, args: ['b', 'c'], first: 'a' })
    expect(perform({ op: 'test', path: '/spec/replicas', value: 1 })).toBe(document)
  })

  it('unescapes tokens and counts negative indexes from the end', () => {
    expect(perform({ op: 'remove', path: '/metadata/annotations/a~1b' }).metadata.annotations).toEqual({
      'c~d': '2',
    })
    expect(perform({ op: 'remove', path: '/metadata/annotations/c~0d' }).metadata.annotations).toEqual({
      'a/b': '1',
    })
    expect(perform({ op: 'replace', path: '/spec/args/-1', value: 'z' }).spec.args).toEqual(['a', 'b', 'z'])
  })

  it('lets replace set a missing member, as kube-apiserver does', () => {
    expect(perform({ op: 'replace', path: '/spec/paused', value: true }).spec.paused).toBe(true)
  })

  it('shares unchanged parts and returns the same document if nothing changes', () => {
    const result = perform({ op: 'replace', path: '/spec/replicas', value: 2 })
    expect(result.metadata).toBe(document.metadata)
    expect(result.spec.args).toBe(document.spec.args)
    expect(perform({ op: 'replace', path: '/spec/args', value: ['a', 'b', 'c'] })).toBe(document)
  })

  it.each([
    [{ op: 'test', path: '/spec/replicas', value: 2 }],
    [{ op: 'remove', path: '/spec/nothing' }],
    [{ op: 'add', path: '/status/phase', value: 'x' }],
    [{ op: 'add', path: '/spec/args/4', value: 'x' }],
    [{ op: 'replace', path: '/spec/args/x', value: 'x' }],
    [{ op: 'add', path: '/spec/replicas/x', value: 'x' }],
    [{ op: 'add', path: '', value: {} }],
    [{ op: 'add', value: 1 }],
    [{ op: 'jump', path: '/spec' }],
    [null],
  ])('rejects %j with a generic message', (operation) => {
    const error = expectApiError(() => applyJsonPatch(document, [operation]))
    expect(error.toStatus()).toMatchObject({
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    })
  })

  it('reports why a body is not a patch', () => {
    const errorOf = (patch: unknown) => {
      const error = expectApiError(() => applyJsonPatch(document, patch))
      expect(error).toMatchObject({ code: 400, reason: 'BadRequest' })
      return error.message
    }
    const prefix = 'error decoding patch: json: cannot unmarshal'
    expect(errorOf({})).toBe(`${prefix} object into Go value of type []handlers.jsonPatchOp`)
    expect(errorOf(['x'])).toBe(`${prefix} string into Go value of type handlers.jsonPatchOp`)
    expect(errorOf([{ op: 1 }])).toBe(`${prefix} number into Go struct field jsonPatchOp.op of type string`)
  })

  it('rejects more than 10,000 operations', () => {
    const test = { op: 'test', path: '/spec/replicas', value: 1 }
    expect(applyJsonPatch(document, Array(10_000).fill(test))).toBe(document)
    expect(expectApiError(() => applyJsonPatch(document, Array(10_001).fill(test)))).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message:
        'Request entity is too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    })
  })

  it('turns any object into another with the difference between them', () => {
    const value = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 })
    fc.assert(
      fc.property(value, value, (from, to) => {
        const [a, b] = [JSON.parse(JSON.stringify(from)), JSON.parse(JSON.stringify(to))]
        expect(applyJsonPatch(deepFreeze(a), difference(a, b))).toEqual(b)
      }),
    )
  })

  it('copies each container once per patch', () => {
    const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 'v']))
    const patch = Array.from({ length: 10_000 }, (_, index) => ({
      op: 'add',
      path: `/data/n${index}`,
      value: 1,
    }))
    const result = applyJsonPatch(deepFreeze({ data: data as Fields }), patch)
    expect(Object.keys(result.data)).toHaveLength(30_000)
  }, 2000)

  it('makes independent copies, and limits their total size', () => {
    const operations = [
      { op: 'add', path: '/a/x', value: 1 },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/b/y', value: 2 },
    ]
    expect(applyJsonPatch(deepFreeze({ a: {} }), operations)).toEqual({ a: { x: 1 }, b: { x: 1, y: 2 } })
    const doubling = Array.from({ length: 60 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }))
    expect(expectApiError(() => applyJsonPatch({ a: ['x'] }, doubling)).code).toBe(422)
  })
})

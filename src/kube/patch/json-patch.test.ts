/** Tests of JSON Patch. */
import fc from 'fast-check'
import { applyPatch, createPatch } from 'rfc6902'
import { describe, expect, it } from 'vitest'
import { cloneJson, deepFreeze } from '../../kit/index.ts'
import { ApiError } from '../meta/index.ts'
import { applyJsonPatch } from './json-patch.ts'

const failure = (run: () => unknown): ApiError => {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

const document = deepFreeze({
  metadata: { labels: { app: 'web' }, annotations: { 'a/b': '1', 'c~d': '2' } },
  spec: { replicas: 1, args: ['a', 'b', 'c'] },
})

const patched = (...operations: object[]) => applyJsonPatch(document, operations) as any

describe('applyJsonPatch', () => {
  it('does each operation', () => {
    expect(patched({ op: 'add', path: '/spec/args/1', value: 'x' }).spec.args).toEqual(['a', 'x', 'b', 'c'])
    expect(patched({ op: 'add', path: '/spec/args/-', value: 'x' }).spec.args).toEqual(['a', 'b', 'c', 'x'])
    expect(patched({ op: 'remove', path: '/spec/args/0' }).spec.args).toEqual(['b', 'c'])
    expect(patched({ op: 'replace', path: '/spec/replicas', value: 3 }).spec.replicas).toBe(3)
    expect(patched({ op: 'copy', from: '/spec/args', path: '/spec/command' }).spec.command).toEqual([
      'a',
      'b',
      'c',
    ])
    const moved = patched({ op: 'move', from: '/spec/args/0', path: '/spec/first' })
    expect(moved.spec).toEqual({ replicas: 1, args: ['b', 'c'], first: 'a' })
    expect(patched({ op: 'test', path: '/spec/replicas', value: 1 })).toBe(document)
  })

  it('reads escaped tokens and counts negative indices from the end', () => {
    expect(patched({ op: 'remove', path: '/metadata/annotations/a~1b' }).metadata.annotations).toEqual({
      'c~d': '2',
    })
    expect(patched({ op: 'remove', path: '/metadata/annotations/c~0d' }).metadata.annotations).toEqual({
      'a/b': '1',
    })
    expect(patched({ op: 'replace', path: '/spec/args/-1', value: 'z' }).spec.args).toEqual(['a', 'b', 'z'])
  })

  it('lets replace set a member that is not there, as the real server does', () => {
    expect(patched({ op: 'replace', path: '/spec/paused', value: true }).spec.paused).toBe(true)
  })

  it('shares what it does not touch and gives the same document back when nothing changes', () => {
    const result = patched({ op: 'replace', path: '/spec/replicas', value: 2 })
    expect(result.metadata).toBe(document.metadata)
    expect(result.spec.args).toBe(document.spec.args)
    expect(patched({ op: 'replace', path: '/spec/args', value: ['a', 'b', 'c'] })).toBe(document)
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
  ])('refuses %j without saying why', (operation) => {
    const error = failure(() => applyJsonPatch(document, [operation]))
    expect(error.toStatus()).toMatchObject({
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    })
  })

  it('says what is wrong with something that is no patch', () => {
    const message = (patch: unknown) => {
      const error = failure(() => applyJsonPatch(document, patch))
      expect(error).toMatchObject({ code: 400, reason: 'BadRequest' })
      return error.message
    }
    const prefix = 'error decoding patch: json: cannot unmarshal'
    expect(message({})).toBe(`${prefix} object into Go value of type []handlers.jsonPatchOp`)
    expect(message(['x'])).toBe(`${prefix} string into Go value of type handlers.jsonPatchOp`)
    expect(message([{ op: 1 }])).toBe(`${prefix} number into Go struct field jsonPatchOp.op of type string`)
  })

  it('takes ten thousand operations and no more', () => {
    const test = { op: 'test', path: '/spec/replicas', value: 1 }
    expect(applyJsonPatch(document, Array(10_000).fill(test))).toBe(document)
    expect(failure(() => applyJsonPatch(document, Array(10_001).fill(test)))).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message:
        'Request entity is too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    })
  })

  it('agrees with another implementation on patches that it makes', () => {
    const value = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 })
    fc.assert(
      fc.property(value, value, (from, to) => {
        const [a, b] = [JSON.parse(JSON.stringify(from)), JSON.parse(JSON.stringify(to))]
        const patch = createPatch(a, b)
        const expected = cloneJson(a)
        applyPatch(expected, patch)
        expect(applyJsonPatch(deepFreeze(a), patch)).toEqual(expected)
      }),
    )
  })
})

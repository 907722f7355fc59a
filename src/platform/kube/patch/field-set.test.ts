/** Tests of field set operations, against plain sets of paths. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '#kit'
import type { FieldSet } from '#platform/kube/meta'
import {
  deepDifference,
  difference,
  intersection,
  isEmpty,
  listPaths,
  parseFieldSet,
  union,
} from './field-set.ts'

const members = fc.constantFrom('f:a', 'f:b', 'k:{"port":80}', 'k:{"port":443}', 'v:"x"', 'f:.')
const { node } = fc.letrec<{ node: FieldSet }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.constant({}),
    fc
      .tuple(fc.boolean(), fc.dictionary(members, tie('node'), { maxKeys: 3 }))
      .map(([itself, children]) => (itself ? { '.': {}, ...children } : children)),
  ),
}))
const sets = fc.dictionary(members, node, { maxKeys: 3 }).map((set) => deepFreeze(parseFieldSet(set)!))

const paths = (set: FieldSet) => new Set(listPaths(set))

describe('union, difference and intersection', () => {
  it('agree with operations on sets of paths', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [left, right] = [paths(a), paths(b)]
        expect(paths(union(a, b))).toEqual(new Set([...left, ...right]))
        expect(paths(difference(a, b))).toEqual(new Set([...left].filter((path) => !right.has(path))))
        expect(paths(intersection(a, b))).toEqual(new Set([...left].filter((path) => right.has(path))))
        expect(isEmpty(a)).toBe(paths(a).size === 0)
      }),
    )
  })

  it('return normalized sets, in the order of kube-apiserver', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        for (const set of [union(a, b), difference(a, b), intersection(a, b), deepDifference(a, b)]) {
          expect(JSON.stringify(parseFieldSet(set))).toBe(JSON.stringify(set))
        }
        expect(JSON.stringify(union(a, b))).toBe(JSON.stringify(union(b, a)))
      }),
    )
  })

  it('return the same reference if nothing changes', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const all = union(a, b)
        expect(union(all, b)).toBe(all)
        const rest = difference(a, b)
        expect(difference(rest, b)).toBe(rest)
      }),
    )
  })

  it('remove nested fields only in a deep difference', () => {
    const set = { 'f:spec': { 'f:a': {} }, 'f:status': { '.': {}, 'f:b': {} } }
    const status = { 'f:status': {} }
    expect(difference(set, status)).toEqual({ 'f:spec': { 'f:a': {} }, 'f:status': { 'f:b': {} } })
    expect(deepDifference(set, status)).toEqual({ 'f:spec': { 'f:a': {} } })
  })
})

describe('listPaths', () => {
  it('formats paths as in messages', () => {
    const set = {
      'f:ports': {
        'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {} },
        'k:{"port":443,"protocol":"TCP"}': {},
      },
      'f:finalizers': { 'v:"x"': {} },
    }
    expect(listPaths(set)).toEqual([
      '.ports[port=80,protocol="TCP"]',
      '.ports[port=443,protocol="TCP"]',
      '.ports[port=80,protocol="TCP"].name',
      '.finalizers[="x"]',
    ])
  })
})

describe('parseFieldSet', () => {
  it('sorts keys by value, drops unknown member types and rejects invalid sets', () => {
    const parsed = parseFieldSet({
      'k:{"p":443}': {},
      'k:{"p":80}': {},
      'f:b': {},
      '.': {},
      'x:?': {},
      'f:a': {},
    })!
    expect(Object.keys(parsed)).toEqual(['.', 'f:a', 'f:b', 'k:{"p":80}', 'k:{"p":443}'])
    for (const wrong of [[], 'x', { a: {} }, { spec: {} }, { 'k:{': {} }, { 'f:a': 1 }]) {
      expect(parseFieldSet(wrong)).toBeUndefined()
    }
  })
})

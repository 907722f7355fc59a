/** Tests of the algebra of field sets, against plain sets of paths. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../kit/index.ts'
import type { FieldSet } from '../meta/index.ts'
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

describe('the algebra of field sets', () => {
  it('is that of sets of paths', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [ours, theirs] = [paths(a), paths(b)]
        expect(paths(union(a, b))).toEqual(new Set([...ours, ...theirs]))
        expect(paths(difference(a, b))).toEqual(new Set([...ours].filter((path) => !theirs.has(path))))
        expect(paths(intersection(a, b))).toEqual(new Set([...ours].filter((path) => theirs.has(path))))
        expect(isEmpty(a)).toBe(paths(a).size === 0)
      }),
    )
  })

  it('gives sets in one form only, sorted as the real server sorts them', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        for (const set of [union(a, b), difference(a, b), intersection(a, b), deepDifference(a, b)]) {
          expect(JSON.stringify(parseFieldSet(set))).toBe(JSON.stringify(set))
        }
        expect(JSON.stringify(union(a, b))).toBe(JSON.stringify(union(b, a)))
      }),
    )
  })

  it('gives the same set back when nothing changes', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const all = union(a, b)
        expect(union(all, b)).toBe(all)
        const rest = difference(a, b)
        expect(difference(rest, b)).toBe(rest)
      }),
    )
  })

  it('takes everything below a field away only in a deep difference', () => {
    const set = { 'f:spec': { 'f:a': {} }, 'f:status': { '.': {}, 'f:b': {} } }
    const status = { 'f:status': {} }
    expect(difference(set, status)).toEqual({ 'f:spec': { 'f:a': {} }, 'f:status': { 'f:b': {} } })
    expect(deepDifference(set, status)).toEqual({ 'f:spec': { 'f:a': {} } })
  })
})

describe('listPaths', () => {
  it('prints paths as messages have them', () => {
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
  it('sorts keys by value, drops unknown kinds of members and refuses nonsense', () => {
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

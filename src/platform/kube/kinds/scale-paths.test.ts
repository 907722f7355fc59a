/** Tests reading and writing at scale paths, including paths into Object.prototype. */
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '#platform/kube/meta'
import { readCountAtPath, scaleSelectorOf, withValueAtPath } from './scale-paths.ts'

const fleet = (parts: object): KubeObject => ({
  apiVersion: 'sea/v1',
  kind: 'Fleet',
  metadata: { name: 'first', uid: 'u-1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  ...parts,
})

const PROTOTYPE_PATHS = ['spec.__proto__.ships', 'spec.constructor.length', '__proto__.__proto__.ships']

describe('readCountAtPath and withValueAtPath', () => {
  it('reads a number, or 0 if there is none', () => {
    const object = fleet({ spec: { size: { ships: 4, name: 'x' } } })
    expect(readCountAtPath(object, 'spec.size.ships')).toBe(4)
    expect(readCountAtPath(object, '.spec.size.ships')).toBe(4)
    for (const path of ['spec.ships', 'spec.size.name', 'spec.size.name.length', 'status.ships'])
      expect(readCountAtPath(object, path)).toBe(0)
  })

  it('writes into a copy and creates missing parents', () => {
    const object = fleet({ spec: { name: 'x' } })
    const next = withValueAtPath(object, 'spec.size.ships', 3)
    expect(next.spec).toEqual({ name: 'x', size: { ships: 3 } })
    expect(object.spec).toEqual({ name: 'x' })
    expect(withValueAtPath(next, 'spec.name.ships', 1).spec.name).toEqual({ ships: 1 })
  })

  it.each(PROTOTYPE_PATHS)('neither reads nor writes Object.prototype: %s', (path) => {
    const object = fleet({ spec: {} })
    expect(readCountAtPath(object, path)).toBe(0)
    const next = withValueAtPath(object, path, 3)
    expect(readCountAtPath(next, path)).toBe(3)
    expect('ships' in {}).toBe(false)
    expect(Object.length).toBe(1)
    expect(readCountAtPath(fleet({ spec: {} }), path)).toBe(0)
  })
})

describe('scaleSelectorOf', () => {
  it.each([
    ['a string', 'app=web', 'app=web'],
    ['a selector', { matchLabels: { app: 'web' } }, { matchLabels: { app: 'web' } }],
    ['plain labels', { app: 'web' }, { matchLabels: { app: 'web' } }],
    ['undefined', undefined, undefined],
    ['a number', 3, undefined],
  ])('reads a selector that is %s', (_, value, expected) => {
    const object = fleet({ status: { selector: value } })
    const paths = { spec: 'spec.size', status: 'status.size' }
    expect(scaleSelectorOf(object, { ...paths, selector: 'status.selector' })).toEqual(expected)
    expect(scaleSelectorOf(object, paths)).toBeUndefined()
  })
})

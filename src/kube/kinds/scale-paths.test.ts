/** Tests of the paths by which `scale` reads and writes: also those that lead into what all objects share. */
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../meta/index.ts'
import { countAtPath, scaleSelectorOf, withValueAtPath } from './scale-paths.ts'

const fleet = (parts: object): KubeObject => ({
  apiVersion: 'sea/v1',
  kind: 'Fleet',
  metadata: { name: 'first', uid: 'u-1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  ...parts,
})

const SHARED = ['spec.__proto__.ships', 'spec.constructor.length', '__proto__.__proto__.ships']

describe('a number', () => {
  it('is read, and is 0 where there is none', () => {
    const object = fleet({ spec: { size: { ships: 4, name: 'x' } } })
    expect(countAtPath(object, 'spec.size.ships')).toBe(4)
    expect(countAtPath(object, '.spec.size.ships')).toBe(4)
    for (const path of ['spec.ships', 'spec.size.name', 'spec.size.name.length', 'status.ships'])
      expect(countAtPath(object, path)).toBe(0)
  })

  it('is written into a copy, with what is missing on the way', () => {
    const object = fleet({ spec: { name: 'x' } })
    const next = withValueAtPath(object, 'spec.size.ships', 3)
    expect(next.spec).toEqual({ name: 'x', size: { ships: 3 } })
    expect(object.spec).toEqual({ name: 'x' })
    expect(withValueAtPath(next, 'spec.name.ships', 1).spec.name).toEqual({ ships: 1 })
  })

  it.each(SHARED)('is neither read from nor written to what all objects share: %s', (path) => {
    const object = fleet({ spec: {} })
    expect(countAtPath(object, path)).toBe(0)
    const next = withValueAtPath(object, path, 3)
    expect(countAtPath(next, path)).toBe(3)
    expect('ships' in {}).toBe(false)
    expect(Object.length).toBe(1)
    expect(countAtPath(fleet({ spec: {} }), path)).toBe(0)
  })
})

it.each([
  ['a text', 'app=web', 'app=web'],
  ['a selector', { matchLabels: { app: 'web' } }, { matchLabels: { app: 'web' } }],
  ['plain labels', { app: 'web' }, { matchLabels: { app: 'web' } }],
  ['nothing', undefined, undefined],
  ['a number', 3, undefined],
])('a selector that is %s', (_, value, expected) => {
  const object = fleet({ status: { selector: value } })
  const paths = { spec: 'spec.size', status: 'status.size' }
  expect(scaleSelectorOf(object, { ...paths, selector: 'status.selector' })).toEqual(expected)
  expect(scaleSelectorOf(object, paths)).toBeUndefined()
})

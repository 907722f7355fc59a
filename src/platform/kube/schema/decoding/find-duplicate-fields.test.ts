/** Tests of finding duplicate fields in JSON text. */
import { describe, expect, it } from 'vitest'
import { findDuplicateFields } from './find-duplicate-fields.ts'

describe('findDuplicateFields', () => {
  it('returns the path of each duplicate field once', () => {
    expect(
      findDuplicateFields(
        '{"spec": {"replicas": 1, "replicas": 2, "replicas": 3}, "kind": "a", "kind": "b"}',
      ),
    ).toEqual(['spec.replicas', 'kind'])
  })

  it('includes list indexes in paths', () => {
    const text = '{"a": [1, {"x": 1}, {"name": "{", "b": [[], [{"c": 1, "c": 2}]], "name": "}"}]}'
    expect(findDuplicateFields(text)).toEqual(['a[2].b[1][0].c', 'a[2].name'])
  })

  it('ignores structure characters in strings, and equal keys of different objects', () => {
    expect(findDuplicateFields('{"a": "\\"a\\": {", "b": {"a": ":"}, "c": [{"a": 1}, {"a": 1}]}')).toEqual([])
  })

  it('unescapes keys before comparing', () => {
    expect(findDuplicateFields('{"ab": 1, "\\u0061b": 2}')).toEqual(['ab'])
  })
})

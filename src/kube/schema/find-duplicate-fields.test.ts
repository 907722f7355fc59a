import { describe, expect, it } from 'vitest'
import { findDuplicateFields } from './find-duplicate-fields.ts'

describe('findDuplicateFields', () => {
  it('names each repeated field by its path, once', () => {
    expect(
      findDuplicateFields(
        '{"spec": {"replicas": 1, "replicas": 2, "replicas": 3}, "kind": "a", "kind": "b"}',
      ),
    ).toEqual(['spec.replicas', 'kind'])
  })

  it('counts the elements of lists', () => {
    const text = '{"a": [1, {"x": 1}, {"name": "{", "b": [[], [{"c": 1, "c": 2}]], "name": "}"}]}'
    expect(findDuplicateFields(text)).toEqual(['a[2].b[1][0].c', 'a[2].name'])
  })

  it('is not misled by text that looks like structure, or by the same key in another object', () => {
    expect(findDuplicateFields('{"a": "\\"a\\": {", "b": {"a": ":"}, "c": [{"a": 1}, {"a": 1}]}')).toEqual([])
  })

  it('compares keys as they read, not as they are written', () => {
    expect(findDuplicateFields('{"ab": 1, "\\u0061b": 2}')).toEqual(['ab'])
  })
})

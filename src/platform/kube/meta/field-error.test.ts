/** Tests of validation errors and the 422 that lists them. */
import { describe, expect, it } from 'vitest'
import {
  duplicate,
  goStringMap,
  goStrings,
  goValue,
  invalid,
  invalidObject,
  notSupported,
  required,
} from './field-error.ts'

describe('field errors', () => {
  it('format values as Go does', () => {
    expect([null, 'a"b', 5, true, { go: 'x{}' }, ['a']].map(goValue)).toEqual([
      'null',
      '"a\\"b"',
      '5',
      'true',
      'x{}',
      '["a"]',
    ])
    expect([goStringMap(undefined).go, goStringMap({ b: '2', a: '1' }).go]).toEqual([
      'map[string]string(nil)',
      'map[string]string{"a":"1", "b":"2"}',
    ])
    expect([goStrings(undefined).go, goStrings([]).go, goStrings(['b', 'a']).go]).toEqual([
      '[]string(nil)',
      '[]string{}',
      '[]string{"b", "a"}',
    ])
  })

  it('keep the order of supported values', () => {
    expect(notSupported('spec.type', 'x', ['b', 'a']).message).toBe(
      'Unsupported value: "x": supported values: "b", "a"',
    )
  })

  it('form one 422 that lists each message once', () => {
    const error = invalidObject('apps', 'Deployment', 'web', [
      required('spec.selector'),
      invalid('spec.replicas', -1, 'must be greater than or equal to 0'),
      duplicate('spec.x', 'a'),
      duplicate('spec.x', 'a'),
    ])
    expect(error.toStatus()).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message:
        'Deployment.apps "web" is invalid: [spec.selector: Required value, spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.x: Duplicate value: "a"]',
      details: { name: 'web', group: 'apps', kind: 'Deployment' },
    })
    expect(error.details?.causes).toHaveLength(4)
    expect(invalidObject('', 'Pod', '', [required('spec')]).toStatus()).toMatchObject({
      message: 'Pod "" is invalid: spec: Required value',
      details: {
        kind: 'Pod',
        causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec' }],
      },
    })
  })
})

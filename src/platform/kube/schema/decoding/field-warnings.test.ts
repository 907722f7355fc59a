/** Tests of warnings about unknown and duplicate fields. */
import { describe, expect, it } from 'vitest'
import { fieldWarnings } from './field-warnings.ts'

describe('fieldWarnings', () => {
  const text =
    '{"a": 1, "a": 2, "x": {"b": 1, "b": 2}, "x": 3, "c": {"y": 1, "d": 1, "d": 2}, "e": 1, "e": 2}'
  const unknown = ['x', 'c.y']

  it('follows the text order and skips the contents of unknown fields', () => {
    expect(fieldWarnings(unknown, text, false)).toEqual([
      'duplicate field "a"',
      'unknown field "x"',
      'unknown field "c.y"',
      'duplicate field "c.d"',
      'duplicate field "e"',
    ])
  })

  it('lists duplicates first on request', () => {
    expect(fieldWarnings(['c.y'], '{"c": {"y": 1, "d": 1, "d": 2}}', true)).toEqual([
      'duplicate field "c.d"',
      'unknown field "c.y"',
    ])
  })

  it('lists only unknown fields if there is no text', () => {
    expect(fieldWarnings(unknown, undefined, false)).toEqual(['unknown field "x"', 'unknown field "c.y"'])
  })
})

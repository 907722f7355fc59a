import { describe, expect, it } from 'vitest'
import { fieldComplaints } from './field-complaints.ts'

describe('fieldComplaints', () => {
  const text =
    '{"a": 1, "a": 2, "x": {"b": 1, "b": 2}, "x": 3, "c": {"y": 1, "d": 1, "d": 2}, "e": 1, "e": 2}'
  const unknown = ['x', 'c.y']

  it('follow the text, and skip what lies within unknown fields', () => {
    expect(fieldComplaints(unknown, text, false)).toEqual([
      'duplicate field "a"',
      'unknown field "x"',
      'unknown field "c.y"',
      'duplicate field "c.d"',
      'duplicate field "e"',
    ])
  })

  it('begin with what parsing found where fields are looked at later', () => {
    expect(fieldComplaints(['c.y'], '{"c": {"y": 1, "d": 1, "d": 2}}', true)).toEqual([
      'duplicate field "c.d"',
      'unknown field "c.y"',
    ])
  })

  it('do without a text', () => {
    expect(fieldComplaints(unknown, undefined, false)).toEqual(['unknown field "x"', 'unknown field "c.y"'])
  })
})

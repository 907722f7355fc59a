import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { meetsFields, parseFieldSelector } from './field-selector.ts'

const refusal = (text: string): string => {
  try {
    parseFieldSelector(text)
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

describe('parseFieldSelector', () => {
  it('reads the three signs, in the order of the alphabet', () => {
    expect(parseFieldSelector('status.phase!=Failed,spec.nodeName==node1,,metadata.name=web')).toEqual([
      { field: 'metadata.name', value: 'web', equal: true },
      { field: 'spec.nodeName', value: 'node1', equal: true },
      { field: 'status.phase', value: 'Failed', equal: false },
    ])
    expect(parseFieldSelector('')).toEqual([])
    expect(parseFieldSelector('spec.nodeName=')).toEqual([{ field: 'spec.nodeName', value: '', equal: true }])
  })

  it('takes escaped characters as they are', () => {
    const escaped = (value: string): string => value.replace(/[\\,=]/g, '\\$&')
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('\\', ',', '=', 'a', '!', 'é') }), (value) => {
        expect(parseFieldSelector(`a=${escaped(value)},b=1`)).toEqual([
          { field: 'a', value, equal: true },
          { field: 'b', value: '1', equal: true },
        ])
      }),
    )
  })

  it('refuses in the words of the server', () => {
    expect(refusal('a=1,nonsense')).toBe("invalid selector: 'a=1,nonsense'; can't understand 'nonsense'")
    expect(refusal('a=b=c')).toBe('invalid field selector: unescaped character in value: 61')
    expect(refusal('a=\\x')).toBe('invalid field selector: invalid escape sequence: \\x')
    expect(refusal('a=b\\')).toBe('invalid field selector: invalid escape sequence: \\')
  })
})

describe('meetsFields', () => {
  it('takes absent fields for empty', () => {
    const fields = { 'spec.nodeName': 'node1' }
    const meets = (text: string): boolean => meetsFields(parseFieldSelector(text), fields)
    expect(meets('spec.nodeName=node1')).toBe(true)
    expect(meets('spec.nodeName!=node1')).toBe(false)
    expect(meets('spec.nodeName=node1,status.phase=Running')).toBe(false)
    expect(meets('constructor=')).toBe(true)
  })
})

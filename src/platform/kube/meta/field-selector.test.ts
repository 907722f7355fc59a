/** Tests of field selectors. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesFields, parseFieldSelector } from './field-selector.ts'

const parseError = (text: string): string => {
  try {
    parseFieldSelector(text)
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

describe('parseFieldSelector', () => {
  it('parses the three operators and sorts the terms', () => {
    expect(parseFieldSelector('status.phase!=Failed,spec.nodeName==node1,,metadata.name=web')).toEqual([
      { field: 'metadata.name', value: 'web', equal: true },
      { field: 'spec.nodeName', value: 'node1', equal: true },
      { field: 'status.phase', value: 'Failed', equal: false },
    ])
    expect(parseFieldSelector('')).toEqual([])
    expect(parseFieldSelector('spec.nodeName=')).toEqual([{ field: 'spec.nodeName', value: '', equal: true }])
  })

  it('unescapes characters', () => {
    const escapeValue = (value: string): string => value.replace(/[\\,=]/g, '\\$&')
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('\\', ',', '=', 'a', '!', 'é') }), (value) => {
        expect(parseFieldSelector(`a=${escapeValue(value)},b=1`)).toEqual([
          { field: 'a', value, equal: true },
          { field: 'b', value: '1', equal: true },
        ])
      }),
    )
  })

  it('rejects invalid selectors with the message of kube-apiserver', () => {
    expect(parseError('a=1,nonsense')).toBe("invalid selector: 'a=1,nonsense'; can't understand 'nonsense'")
    expect(parseError('a=b=c')).toBe('invalid field selector: unescaped character in value: 61')
    expect(parseError('a=\\x')).toBe('invalid field selector: invalid escape sequence: \\x')
    expect(parseError('a=b\\')).toBe('invalid field selector: invalid escape sequence: \\')
  })
})

describe('matchesFields', () => {
  it('treats missing fields as empty', () => {
    const fields = { 'spec.nodeName': 'node1' }
    const matches = (text: string): boolean => matchesFields(parseFieldSelector(text), fields)
    expect(matches('spec.nodeName=node1')).toBe(true)
    expect(matches('spec.nodeName!=node1')).toBe(false)
    expect(matches('spec.nodeName=node1,status.phase=Running')).toBe(false)
    expect(matches('constructor=')).toBe(true)
  })
})

/** Tests of regular expressions in Go's syntax. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linearPattern } from './linear-pattern.ts'

const pieces = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\d',
  '^',
  '$',
  '\\b',
  'a*',
  'b+?',
  'a{1,2}',
  '(a|b)',
  '(?:ab)*',
  'a|',
  '(b?)',
)
const patterns = fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join(''))
const texts = fc.array(fc.constantFrom('a', 'b', '1', ' '), { maxLength: 8 }).map((parts) => parts.join(''))

describe('linearPattern', () => {
  it('finds the same matches as a backtracking engine', () => {
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        const expected = new RegExp(pattern).exec(text)
        const range = expected === null ? undefined : [expected.index, expected.index + expected[0].length]
        expect(linearPattern(pattern).find(text)).toEqual(range)
        expect(linearPattern(pattern).test(text)).toBe(expected !== null)
      }),
      { numRuns: 500 },
    )
  })

  it('finds groups', () => {
    const pattern = linearPattern('(a+)(?:(b)|c)')
    expect(pattern.findGroups('xaac')).toEqual([[1, 4], [1, 3], undefined])
    expect(pattern.findGroups('aabac', 1)).toEqual([
      [1, 3],
      [1, 2],
      [2, 3],
    ])
    expect(pattern.findGroups('aa')).toBeUndefined()
  })

  it('quickly matches patterns that would hang a backtracking engine', () => {
    expect(linearPattern('^(a+)+$').test(`${'a'.repeat(50_000)}!`)).toBe(false)
    const domain = linearPattern('^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')
    expect(domain.test('a-b.example.com')).toBe(true)
    expect(domain.test(`${'a'.repeat(50_000)}-`)).toBe(false)
  })

  it.each([
    ['(?i)straße', 'STRASSE', false],
    ['(?i)abc', 'xABCx', true],
    ['(?i:a)b', 'AB', false],
    ['^(?P<year>\\d{4})-(?<month>\\d{2})$', '2026-01', true],
    ['^\\pL+$', 'größe', true],
    ['^\\p{Greek}+$', 'αβγ', true],
    ['^\\P{L}$', '1', true],
    ['^[[:alpha:][:^space:]_]+$', 'ab_1', true],
    ['^[]a-]+$', 'a]-', true],
    ['^[\\w.\\-]+$', 'a-b.c_d', true],
    ['^\\Qa.b*\\E$', 'a.b*', true],
    ['^\\x41\\x{1F600}\\101$', 'A😀A', true],
    ['^.$', '😀', true],
    ['a.b', 'a\nb', false],
    ['(?s)a.b', 'a\nb', true],
    ['(?m)^b$', 'a\nb\nc', true],
    ['^a{2}{$', 'aa{', true],
    ['^a{,2}$', 'a{,2}', true],
    ['^$', '', true],
    ['a$', 'a\n', false],
  ])('matches %s against %j as Go does', (pattern, text, expected) => {
    expect(linearPattern(pattern).test(text)).toBe(expected)
  })

  it.each([
    ['(a', 'missing closing ): `(a`'],
    ['a)', 'unexpected ): `a)`'],
    ['[a', 'missing closing ]: `[a`'],
    ['[z-a]', 'invalid character class range: `z-a`'],
    ['*a', 'missing argument to repetition operator: `*`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(a)\\1', 'invalid escape sequence: `\\1`'],
    ['\\y', 'invalid escape sequence: `\\y`'],
    ['a\\', 'trailing backslash at end of expression'],
    ['\\p{Nothing}', 'invalid character class range: `\\p{Nothing}`'],
    [`${'('.repeat(2000)}a${')'.repeat(2000)}`, 'expression nests too deeply'],
    ['((a{100}){100}){100}', 'invalid repeat count: `{100}`'],
  ])('rejects %s', (pattern, problem) => {
    expect(() => linearPattern(pattern)).toThrow(`error parsing regexp: ${problem}`)
  })

  it('is quick even if both the pattern and the text are large', () => {
    expect(linearPattern('(a?){1000}b').test('a'.repeat(1_000_000))).toBe(false)
  })
})

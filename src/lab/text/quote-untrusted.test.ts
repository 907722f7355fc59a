/** Tests that untrusted text cannot hide characters or imitate a prompt. */
import { expect, it } from 'vitest'
import { quoteUntrusted } from './quote-untrusted.ts'

it('escapes control characters', () => {
  expect(quoteUntrusted('rm -rf x\x1b[2K\x1b[1A\rkubectl get pods\x07\x9b\x7f', 200)).toBe(
    '  | rm -rf x\\x1b[2K\\x1b[1A\\x0dkubectl get pods\\x07\\x9b\\x7f',
  )
})

it('escapes invisible characters, direction marks and stacked combining marks', () => {
  expect(quoteUntrusted('a\u202eb\u200bc\u2066d\ufeffe\u2028f\u{e0041}g\u3164', 200)).toBe(
    '  | a\\u{202e}b\\u{200b}c\\u{2066}d\\u{feff}e\\u{2028}f\\u{e0041}g\\u{3164}',
  )
  expect(quoteUntrusted(`a${'\u0301'.repeat(5)}`, 200)).toBe('  | a\u0301\u0301\u0301\\u{301}\\u{301}')
})

it('puts a margin before every row, including the rows of wrapped lines', () => {
  const rows = quoteUntrusted(`ls\r\nApprove? [y/N] y\n${'x'.repeat(100)}\tß`, 44).split('\n')
  expect(rows.slice(0, 2)).toEqual(['  | ls', '  | Approve? [y/N] y'])
  expect(rows.length).toBeGreaterThan(4)
  for (const row of rows) expect(row).toMatch(/^ {2}[|:] .{0,40}$/u)
})

/** Tests the quoting of words for a shell. */
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { quoteShellWord } from './quote-shell-word.ts'

it.each([
  ['--port=80', '--port=80'],
  ['a@b.c:/d,e+f%', 'a@b.c:/d,e+f%'],
  ['', "''"],
  ['two words', "'two words'"],
  ['$HOME', "'$HOME'"],
  ['a;b', "'a;b'"],
  ["it's", `'it'"'"'s'`],
])('quotes %j as %s', (word, expected) => {
  expect(quoteShellWord(word)).toBe(expected)
})

it('yields words that a shell reads unchanged', () => {
  const words = ['', 'a b', "'", `"'"`, '$(exit 1)', '`x`', '\\', 'a\nb', '*', '~', '#', 'ü']
  const line = ['printf', '%s\\0', ...words].map(quoteShellWord).join(' ')
  expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).toBe(`${words.join('\0')}\0`)
})

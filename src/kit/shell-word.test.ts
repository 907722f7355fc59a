import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shellWord } from './shell-word.ts'

it.each([
  ['--port=80', '--port=80'],
  ['a@b.c:/d,e+f%', 'a@b.c:/d,e+f%'],
  ['', "''"],
  ['two words', "'two words'"],
  ['$HOME', "'$HOME'"],
  ['a;b', "'a;b'"],
  ["it's", `'it'"'"'s'`],
])('of %j is %s', (word, expected) => {
  expect(shellWord(word)).toBe(expected)
})

it('is taken for the very same word', () => {
  const words = ['', 'a b', "'", `"'"`, '$(exit 1)', '`x`', '\\', 'a\nb', '*', '~', '#', 'ü']
  const line = ['printf', '%s\\0', ...words].map(shellWord).join(' ')
  expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).toBe(`${words.join('\0')}\0`)
})

import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { pathInside } from './path-inside.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'remedium-inside-'))
})
afterEach(() => rmSync(root, { recursive: true }))

it.each([
  ['/a/b', 'a/b'],
  ['a//./b/', 'a/b'],
  ['../../etc', 'etc'],
  ['/absolute/x', 'folder/x'],
  ['/relative/x', 'etc/x'],
  ['/folder/up/x', 'x'],
])('takes %s to %s', (path, expected) => {
  mkdirSync(join(root, 'folder'))
  symlinkSync('/folder', join(root, 'absolute'))
  symlinkSync('../../etc', join(root, 'relative'))
  symlinkSync('../../..', join(root, 'folder/up'))
  expect(pathInside(root, path)).toBe(join(root, expected))
})

it('ends with links that lead to each other', () => {
  symlinkSync('b', join(root, 'a'))
  symlinkSync('a', join(root, 'b'))
  expect(() => pathInside(root, 'a')).toThrow('too many levels of symbolic links: a')
})

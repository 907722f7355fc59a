/** Tests the resolution of paths with links below a root folder. */
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFolderInside, pathInside } from './path-inside.ts'

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
])('resolves %s to %s', (path, expected) => {
  mkdirSync(join(root, 'folder'))
  symlinkSync('/folder', join(root, 'absolute'))
  symlinkSync('../../etc', join(root, 'relative'))
  symlinkSync('../../../../..', join(root, 'folder/up'))
  expect(pathInside(root, path)).toBe(join(root, expected))
})

it('rejects a cycle of links', () => {
  symlinkSync('b', join(root, 'a'))
  symlinkSync('a', join(root, 'b'))
  expect(() => pathInside(root, 'a')).toThrow('too many levels of symbolic links: a')
})

it('creates folders behind links inside the root', () => {
  mkdirSync(join(root, 'folder'))
  symlinkSync('/folder', join(root, 'absolute'))
  createFolderInside(root, '/absolute/a/b', 0o700)
  expect(statSync(join(root, 'folder/a/b')).mode & 0o777).toBe(0o700)
  createFolderInside(root, '/', 0o755)
  expect(statSync(root).mode & 0o777).toBe(0o755)
})

it('rejects a path through a file', () => {
  writeFileSync(join(root, 'file'), '')
  expect(() => createFolderInside(root, 'file/x')).toThrow('file/x is not a directory')
})

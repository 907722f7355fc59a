/** Tests that folders for results are created and checked. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkFolder, makeFolder } from './make-folder.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'make-folder-'))
})
afterEach(() => rmSync(home, { recursive: true }))

it('creates all missing folders, and leaves no files in them', () => {
  makeFolder(join(home, 'a', 'b'), '--records')
  makeFolder(join(home, 'a', 'b'), '--records')
  expect(readdirSync(home, { recursive: true })).toEqual(['a', join('a', 'b')])
})

it('checks whether missing folders can be created, and creates none', () => {
  checkFolder(join(home, 'a', 'b'), '--out')
  expect(readdirSync(home)).toEqual([])
})

it('throws if a folder cannot be created or written to', () => {
  writeFileSync(join(home, 'file'), '')
  for (const path of ['/proc/x/y', '/proc', join(home, 'file'), join(home, 'file', 'x')])
    for (const check of [makeFolder, checkFolder])
      expect(() => check(path, '--records')).toThrow(`The folder ${path} cannot be created or written to.`)
})

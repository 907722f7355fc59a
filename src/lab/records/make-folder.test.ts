/** Tests of folders that results are to be written to. */
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

it('makes all that is missing, and leaves nothing in it', () => {
  makeFolder(join(home, 'a', 'b'), '--records')
  makeFolder(join(home, 'a', 'b'), '--records')
  expect(readdirSync(home, { recursive: true })).toEqual(['a', join('a', 'b')])
})

it('looks whether all that is missing could be made, and makes nothing', () => {
  checkFolder(join(home, 'a', 'b'), '--out')
  expect(readdirSync(home)).toEqual([])
})

it('says at once where nothing can be made', () => {
  writeFileSync(join(home, 'file'), '')
  for (const path of ['/proc/x/y', '/proc', join(home, 'file'), join(home, 'file', 'x')])
    for (const tried of [makeFolder, checkFolder])
      expect(() => tried(path, '--records')).toThrow(`The folder ${path} cannot be created or written to.`)
})

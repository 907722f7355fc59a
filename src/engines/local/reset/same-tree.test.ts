/** Folders that hold the same, and such that do not. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isSameTree } from './same-tree.ts'

let folder: string
let one: string
let other: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-tree-'))
  one = join(folder, 'one')
  other = join(folder, 'other')
  for (const each of [one, other]) {
    mkdirSync(join(each, 'deep'), { recursive: true })
    writeFileSync(join(each, 'deep/file'), Buffer.alloc(3 << 20, 'a'))
    symlinkSync('nowhere', join(each, 'link'))
  }
  utimesSync(join(one, 'deep/file'), 1, 1)
})
afterEach(() => rmSync(folder, { recursive: true }))

it('finds folders the same by their content, whatever the times', async () => {
  expect(await isSameTree(one, other)).toBe(true)
})

it.each<[string, () => void]>([
  ['a byte', () => writeFileSync(join(other, 'deep/file'), Buffer.alloc(3 << 20, 'a').fill('b', 3_000_000))],
  ['a length', () => writeFileSync(join(other, 'deep/file'), 'a')],
  ['a mode', () => chmodSync(join(other, 'deep/file'), 0o600)],
  ['a name', () => writeFileSync(join(other, 'deep/more'), '')],
  ['a folder that is not there', () => rmSync(other, { recursive: true })],
])('tells %s that differs', async (_what, change) => {
  change()
  expect(await isSameTree(one, other)).toBe(false)
})

it('takes folders that are not there for empty ones', async () => {
  expect(await isSameTree(join(folder, 'none'), join(folder, 'nothing'))).toBe(true)
})

it('finds nothing the same that goes away meanwhile', async () => {
  for (let index = 0; index < 500; index += 1)
    for (const each of [one, other]) writeFileSync(join(each, 'deep', String(index)), '')
  const looking = isSameTree(one, other)
  await new Promise(setImmediate)
  rmSync(join(other, 'deep'), { recursive: true })
  expect(await looking).toBe(false)
})

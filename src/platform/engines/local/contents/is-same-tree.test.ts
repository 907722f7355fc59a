/** Tests of comparing folders. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isSameTree } from './is-same-tree.ts'

let folder: string
let left: string
let right: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-tree-'))
  left = join(folder, 'one')
  right = join(folder, 'other')
  for (const each of [left, right]) {
    mkdirSync(join(each, 'deep'), { recursive: true })
    writeFileSync(join(each, 'deep/file'), Buffer.alloc(3 << 20, 'a'))
    symlinkSync('nowhere', join(each, 'link'))
  }
  utimesSync(join(left, 'deep/file'), 1, 1)
})
afterEach(() => rmSync(folder, { recursive: true }))

it('compares by content and ignores times', async () => {
  expect(await isSameTree(left, right)).toBe(true)
})

it.each<[string, () => void]>([
  ['a byte', () => writeFileSync(join(right, 'deep/file'), Buffer.alloc(3 << 20, 'a').fill('b', 3_000_000))],
  ['a length', () => writeFileSync(join(right, 'deep/file'), 'a')],
  ['a mode', () => chmodSync(join(right, 'deep/file'), 0o600)],
  ['a name', () => writeFileSync(join(right, 'deep/more'), '')],
  ['a missing folder', () => rmSync(right, { recursive: true })],
])('detects a difference: %s', async (_description, change) => {
  change()
  expect(await isSameTree(left, right)).toBe(false)
})

it('detects new content of the same length, even if the modification time was restored', async () => {
  const file = join(right, 'deep/file')
  writeFileSync(file, Buffer.alloc(3 << 20, 'b'))
  utimesSync(file, 1, 1)
  expect(await isSameTree(left, right)).toBe(false)
})

it('treats missing folders as empty', async () => {
  expect(await isSameTree(join(folder, 'none'), join(folder, 'nothing'))).toBe(true)
})

it('reports a difference if files disappear during the comparison', async () => {
  for (let index = 0; index < 500; index += 1)
    for (const each of [left, right]) writeFileSync(join(each, 'deep', String(index)), '')
  const comparison = isSameTree(left, right)
  await new Promise(setImmediate)
  rmSync(join(right, 'deep'), { recursive: true })
  expect(await comparison).toBe(false)
})

/** Needs root: tests the access rights of folders in memory. */
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { createMemoryFolder, memoryFolderOf } from './index.ts'

const folder = `/nowhere/test-${process.pid}`
const path = memoryFolderOf(folder)
afterEach(() => rmSync(path, { recursive: true, force: true }))

it('creates the folder once, without access for other users', () => {
  expect(createMemoryFolder(folder)).toBe(path)
  expect(statSync(path).mode & 0o777).toBe(0o700)
  expect(createMemoryFolder(folder)).toBe(path)
})

it('rejects an existing folder that belongs to another user or is accessible to others', () => {
  mkdirSync(path, { mode: 0o700 })
  chownSync(path, 12345, 12345)
  expect(() => createMemoryFolder(folder)).toThrow('belongs to another user or is accessible to others')
  chownSync(path, 0, 0)
  chmodSync(path, 0o777)
  expect(() => createMemoryFolder(folder)).toThrow('belongs to another user or is accessible to others')
  expect(existsSync(path)).toBe(true)
})

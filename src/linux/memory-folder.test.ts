/** Needs root: gives a folder to another user. */
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { makeMemoryFolder, memoryFolderOf } from './index.ts'

const folder = `/nowhere/test-${process.pid}`
const path = memoryFolderOf(folder)
afterEach(() => rmSync(path, { recursive: true, force: true }))

it('is closed to others, and made once', () => {
  expect(makeMemoryFolder(folder)).toBe(path)
  expect(statSync(path).mode & 0o777).toBe(0o700)
  expect(makeMemoryFolder(folder)).toBe(path)
})

it('is refused where somebody else has made it, or may look into it', () => {
  mkdirSync(path, { mode: 0o700 })
  chownSync(path, 12345, 12345)
  expect(() => makeMemoryFolder(folder)).toThrow('not a folder of our own')
  chownSync(path, 0, 0)
  chmodSync(path, 0o777)
  expect(() => makeMemoryFolder(folder)).toThrow('not a folder of our own')
  expect(existsSync(path)).toBe(true)
})

/** Tests the parser of mountinfo. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { mountOf, readMounts } from './index.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mount-table-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const mountsOf = (...lines: string[]) => {
  const path = join(folder, 'mountinfo')
  writeFileSync(path, `${lines.join('\n')}\n`)
  return readMounts(path)
}

const ROOT = '20 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw'

it('parses lines with and without optional fields, and spaces in names', () => {
  const volume = '31 20 0:27 /a\\040b /data/c\\040d ro,nosuid - tmpfs my\\040disk rw,size=1k'
  expect(mountsOf(ROOT, volume)).toEqual([
    {
      id: 20,
      device: '8:1',
      root: '/',
      mountPoint: '/',
      options: ['rw', 'relatime'],
      shared: true,
      type: 'ext4',
      source: '/dev/sda1',
    },
    {
      id: 31,
      device: '0:27',
      root: '/a b',
      mountPoint: '/data/c d',
      options: ['ro', 'nosuid'],
      shared: false,
      type: 'tmpfs',
      source: 'my disk',
    },
  ])
})

it('finds the mount of a path', () => {
  const mounts = mountsOf(
    ROOT,
    '31 20 0:27 / /data rw - tmpfs first rw',
    '32 31 0:28 / /data rw - tmpfs second rw',
    '33 32 0:29 / /data/deep rw - tmpfs third rw',
  )
  const sourceOf = (path: string) => mountOf(mounts, path)?.source
  expect(sourceOf('/data')).toBe('second')
  expect(sourceOf('/data/x')).toBe('second')
  expect(sourceOf('/data/deep/x')).toBe('third')
  expect(sourceOf('/database')).toBe('/dev/sda1')
})

it('reads the mounts of this process', () => {
  expect(mountOf(readMounts('/proc/self/mountinfo'), '/proc')).toMatchObject({ type: 'proc' })
})

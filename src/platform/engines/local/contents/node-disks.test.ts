/** Tests that the disks of nodes are restored. */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { nodeDisk } from '#platform/kube'
import { copyNodeDisks } from './node-disks.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-disks-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const copyDisks = () => copyNodeDisks({ folder, nodes: ['node1', 'node2'], marker: {} })

it('restores an empty disk', async () => {
  const disks = await copyDisks()
  expect(await disks.restore()).toEqual([])
  const disk = nodeDisk(folder, 'node2')
  mkdirSync(join(disk, 'var/notes'), { recursive: true })
  writeFileSync(join(disk, 'var/notes/plan'), 'x')
  symlinkSync('/', join(disk, 'root'))
  expect(await disks.restore()).toEqual(['node2'])
  expect(readdirSync(disk)).toEqual([])
  expect(await disks.restore()).toEqual([])
})

it('restores files in place, and does not follow symbolic links', async () => {
  const disk = nodeDisk(folder, 'node1')
  mkdirSync(join(disk, 'data/deep'), { recursive: true })
  for (const name of ['one', 'two', 'deep/three']) writeFileSync(join(disk, 'data', name), name)
  const disks = await copyDisks()
  const { ino } = lstatSync(join(disk, 'data'))
  const outside = join(folder, 'outside')
  writeFileSync(outside, 'mine')
  rmSync(join(disk, 'data/deep'), { recursive: true })
  symlinkSync(folder, join(disk, 'data/deep'))
  rmSync(join(disk, 'data/one'))
  symlinkSync(outside, join(disk, 'data/one'))
  writeFileSync(join(disk, 'data/two'), 'changed')
  writeFileSync(join(disk, 'data/four'), 'more')
  expect(await disks.restore()).toEqual(['node1'])
  expect(readdirSync(join(disk, 'data')).sort()).toEqual(['deep', 'one', 'two'])
  for (const name of ['one', 'two', 'deep/three'])
    expect(readFileSync(join(disk, 'data', name), 'utf8')).toBe(name)
  expect(lstatSync(join(disk, 'data')).ino).toBe(ino)
  expect(readFileSync(outside, 'utf8')).toBe('mine')
  expect(await disks.restore()).toEqual([])
})

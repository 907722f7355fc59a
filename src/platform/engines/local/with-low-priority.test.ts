/** Tests that a control group has a low CPU weight during a task. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCgroups, findHierarchies } from '#machine/linux'
import { withLowPriority } from './with-low-priority.ts'

const GROUP = `remedium-test-priority-${process.pid}`

beforeAll(() => createCgroups().create(GROUP))
afterAll(() => {
  createCgroups().remove(GROUP)
})

const readWeight = (): number => {
  const { version, folderOf } = findHierarchies()
  return Number(
    readFileSync(join(folderOf('cpu'), GROUP, version === 2 ? 'cpu.weight' : 'cpu.shares'), 'utf8'),
  )
}

it('lowers the CPU weight during the task, and restores it on success and failure', async () => {
  const normalWeight = readWeight()
  expect(await withLowPriority(GROUP, async () => readWeight())).toBeLessThan(normalWeight / 10)
  expect(readWeight()).toBe(normalWeight)
  await expect(withLowPriority(GROUP, () => Promise.reject(new Error('task failed')))).rejects.toThrow(
    'task failed',
  )
  expect(readWeight()).toBe(normalWeight)
})

it('succeeds if the control group is removed during the task', async () => {
  createCgroups().create(`${GROUP}/gone`)
  const work = async () => createCgroups().remove(`${GROUP}/gone`)
  expect(await withLowPriority(`${GROUP}/gone`, work)).toBe(true)
})

/** Tests of the CPU weight of control groups. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCgroups, findHierarchies } from '#machine/linux'
import { withLowPriority } from './with-low-priority.ts'

const GROUP = `remedium-test-way-${process.pid}`

beforeAll(() => createCgroups().create(GROUP))
afterAll(() => {
  createCgroups().remove(GROUP)
})

const weight = (): number => {
  const { version, folderOf } = findHierarchies()
  return Number(
    readFileSync(join(folderOf('cpu'), GROUP, version === 2 ? 'cpu.weight' : 'cpu.shares'), 'utf8'),
  )
}

it('lowers the CPU weight during the task, and restores it on success and failure', async () => {
  const usual = weight()
  expect(await withLowPriority(GROUP, async () => weight())).toBeLessThan(usual / 10)
  expect(weight()).toBe(usual)
  await expect(withLowPriority(GROUP, () => Promise.reject(new Error('broken off')))).rejects.toThrow(
    'broken off',
  )
  expect(weight()).toBe(usual)
})

it('accepts that the control group is removed during the task', async () => {
  createCgroups().create(`${GROUP}/gone`)
  const work = async () => createCgroups().remove(`${GROUP}/gone`)
  expect(await withLowPriority(`${GROUP}/gone`, work)).toBe(true)
})

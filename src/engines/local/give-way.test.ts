/** Tests of who goes first on a busy machine, by real control groups. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCgroups, findHierarchies } from '../../linux/index.ts'
import { givingWay } from './give-way.ts'

const GROUP = `remedium-test-way-${process.pid}`

beforeAll(() => createCgroups().create(GROUP))
afterAll(() => {
  createCgroups().remove(GROUP)
})

const weight = (): number => {
  const { version, of } = findHierarchies()
  return Number(readFileSync(join(of('cpu'), GROUP, version === 2 ? 'cpu.weight' : 'cpu.shares'), 'utf8'))
}

it('weighs little while it is made ready, and as much as before afterwards, whatever came of it', async () => {
  const usual = weight()
  expect(await givingWay(GROUP, async () => weight())).toBeLessThan(usual / 10)
  expect(weight()).toBe(usual)
  await expect(givingWay(GROUP, () => Promise.reject(new Error('broken off')))).rejects.toThrow('broken off')
  expect(weight()).toBe(usual)
})

it('does not mind that the group has gone with the cluster', async () => {
  createCgroups().create(`${GROUP}/gone`)
  const work = async () => createCgroups().remove(`${GROUP}/gone`)
  expect(await givingWay(`${GROUP}/gone`, work)).toBe(true)
})

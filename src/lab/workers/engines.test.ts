/** Tests the choice of an engine by its name. */
import { expect, it } from 'vitest'
import { ENGINE_NAMES } from '#spec'
import { createEngine, usesMachine } from './engines.ts'

it.each(ENGINE_NAMES)('creates the engine %s', async (name) => {
  expect(await createEngine(name, () => {})).toMatchObject({ provision: expect.any(Function) })
})

it('reports which engine uses processes of this machine', () => {
  expect(usesMachine('local')).toBe(true)
  expect(usesMachine('sim')).toBe(false)
})

it.each(['imagined', 'toString'])('rejects the engine %s', async (name) => {
  await expect(createEngine(name, () => {})).rejects.toThrow(`There is no engine "${name}".`)
  expect(() => usesMachine(name)).toThrow(`There is no engine "${name}".`)
})

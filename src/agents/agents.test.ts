import { expect, test } from 'vitest'
import { play } from '../agent-parts/testing/index.ts'
import { listAgents, loadAgent } from './index.ts'

test('those there are can be loaded', async () => {
  const names = listAgents()
  for (const name of ['external', 'null', 'react', 'solo-gen', 'think-remed']) expect(names).toContain(name)
  const agents = await Promise.all(names.map((name) => loadAgent(name)))
  for (const { about, roles } of agents) {
    expect(about).toMatch(/^\w.*[^.]$/)
    expect(roles.every((role) => /^[a-z]+$/.test(role))).toBe(true)
  }
})

test('null submits at once that nothing is wrong', async () => {
  const { calls } = await play(await loadAgent('null'))
  expect(calls).toEqual([{ name: 'submit', input: { detected: false } }])
})

test('a wrong name and options that nobody takes are told', async () => {
  await expect(loadAgent('raect')).rejects.toMatchObject({
    message: 'There is no agent named "raect".',
    hint: expect.stringContaining('Did you mean react?'),
  })
  await expect(loadAgent('null', {})).resolves.toMatchObject({ name: 'null' })
  await expect(loadAgent('external', {})).rejects.toThrow('which program')
  await expect(loadAgent('null', { trials: 1 })).rejects.toThrow('The agent null has no options.')
  await expect(loadAgent('think-remed', { trials: 0 })).rejects.toThrow(/think-remed is wrong: trials/)
})

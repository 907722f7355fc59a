/** Tests that all agents can be loaded. */
import { expect, test } from 'vitest'
import { play } from '#examinee/agent-parts/testing'
import { listAgents, loadAgent } from './index.ts'

test('loads every agent', async () => {
  const names = listAgents()
  for (const name of ['external', 'null', 'react', 'solo-gen', 'think-remed']) expect(names).toContain(name)
  const agents = await Promise.all(names.map((name) => loadAgent(name)))
  for (const { about, roles } of agents) {
    expect(about).toMatch(/^\w.*[^.]$/)
    expect(roles.every((role) => /^[a-z]+$/.test(role))).toBe(true)
  }
})

test('null submits immediately that nothing is wrong', async () => {
  const { calls } = await play(await loadAgent('null'))
  expect(calls).toEqual([{ name: 'submit', input: { detected: false } }])
})

test('rejects unknown agents and options', async () => {
  await expect(loadAgent('raect')).rejects.toMatchObject({
    message: 'The agent "raect" does not exist.',
    hint: expect.stringContaining('Did you mean react?'),
  })
  await expect(loadAgent('null', {})).resolves.toMatchObject({ name: 'null' })
  await expect(loadAgent('external', {})).rejects.toThrow('requires a program')
  await expect(loadAgent('null', { trials: 1 })).rejects.toThrow('The agent null has no options.')
  await expect(loadAgent('think-remed', { trials: 0 })).rejects.toThrow(/think-remed is invalid: trials/)
})

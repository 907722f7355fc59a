/** Tests of the options that an agent gets from the settings of a run. */
import { expect, it } from 'vitest'
import { agentOptionsOf } from './agent-options-of.ts'

it('runs the program of an external agent in a shell, in the stored folder', () => {
  const settings = {
    external: 'python3 my-agent.py',
    externalFolder: '/a',
    agentOptions: { external: { user: 'root', folder: '.' }, react: { rounds: '5' } },
  }
  expect(agentOptionsOf('external', settings)).toEqual({
    user: 'root',
    program: '/bin/sh',
    args: ['-c', 'python3 my-agent.py'],
    folder: '/a',
  })
  expect(agentOptionsOf('react', settings)).toEqual({ rounds: '5' })
  expect(agentOptionsOf('external', { agentOptions: { external: { program: 'cat' } } })).toEqual({
    program: 'cat',
  })
})

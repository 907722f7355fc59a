/** Tests of what an agent is told of a run's settings. */
import { expect, it } from 'vitest'
import { agentOptionsOf } from './agent-options-of.ts'

it('starts the program of an external agent by a shell, in the folder that the run keeps', () => {
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

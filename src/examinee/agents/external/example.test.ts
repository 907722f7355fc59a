/** Tests the example of docs/agents.md. */
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { play } from '#examinee/agent-parts/testing'
import { findExecutable, REPOSITORY } from '#kit'
import { createAgent } from './agent.ts'

const deployment = (name: string, replicas?: number) => ({ metadata: { name }, spec: { replicas } })
/** Relative, because the user nobody may have no access to the folders above the checkout. */
const EXAMPLE = relative(process.cwd(), join(REPOSITORY, 'examples/first-aid.py'))

test.skipIf(findExecutable('python3') === undefined)(
  'scales up services that have no replicas, or names the services with failing calls',
  async () => {
    const agent = createAgent({ program: 'python3', args: [EXAMPLE] })
    const deployments = [deployment('running', 1), deployment('stopped', 0), deployment('default')]
    const { calls, thoughts, error } = await play(agent, {
      actions: { get_objects: () => ({ ok: true, text: '3', data: deployments }) },
    })
    expect(error).toBeUndefined()
    expect(thoughts.map(({ thought }) => thought)).toEqual(['Scaled to zero: stopped.', 'Scaled up.'])
    expect(calls.map(({ name }) => name)).toEqual(['get_objects', 'run_playbook', 'submit'])
    const { playbook } = calls[1]!.input as { playbook: string }
    expect(JSON.parse(playbook)[0].tasks[0]['kubernetes.core.k8s_scale']).toMatchObject({
      name: 'stopped',
      replicas: 1,
    })
    expect(calls[2]!.input).toMatchObject({ detected: true, services: ['stopped'] })

    const edges = [
      { from: 'a', to: 'b', errors: 2 },
      { from: 'a', to: 'c', errors: 9 },
      { from: 'a', to: 'd', errors: 0 },
    ]
    const readOnlyResult = await play(agent, {
      available: ['get_objects', 'get_topology', 'submit'],
      briefing: { task: 'localisation' },
      actions: {
        get_objects: () => ({ ok: true, text: '', data: [] }),
        get_topology: () => ({ ok: true, text: '', data: { edges } }),
      },
    })
    expect(readOnlyResult.calls.at(-1)!.input).toMatchObject({ services: ['c', 'b'] })
  },
)

import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { play } from '../../agent-parts/testing/index.ts'
import { findExecutable } from '../../kit/index.ts'
import { createAgent } from './agent.ts'

const deployment = (name: string, replicas?: number) => ({ metadata: { name }, spec: { replicas } })
/** As whoever stands in the checkout would name it, to which nobody need be let otherwise. */
const EXAMPLE = relative(process.cwd(), join(import.meta.dirname, '../../../examples/first-aid.py'))

test.skipIf(findExecutable('python3') === undefined)(
  'the example that the documentation shows works',
  async () => {
    const agent = createAgent({ program: 'python3', args: [EXAMPLE] })
    const deployments = [deployment('awake', 1), deployment('asleep', 0), deployment('usual')]
    const { calls, thoughts, error } = await play(agent, {
      actions: { get_objects: () => ({ ok: true, text: '3', data: deployments }) },
    })
    expect(error).toBeUndefined()
    expect(thoughts.map(({ thought }) => thought)).toEqual(['Asleep: asleep.', 'They wake up.'])
    expect(calls.map(({ name }) => name)).toEqual(['get_objects', 'run_playbook', 'submit'])
    const { playbook } = calls[1]!.input as { playbook: string }
    expect(JSON.parse(playbook)[0].tasks[0]['kubernetes.core.k8s_scale']).toMatchObject({
      name: 'asleep',
      replicas: 1,
    })
    expect(calls[2]!.input).toMatchObject({ detected: true, services: ['asleep'] })

    const edges = [
      { from: 'a', to: 'b', errors: 2 },
      { from: 'a', to: 'c', errors: 9 },
      { from: 'a', to: 'd', errors: 0 },
    ]
    const looked = await play(agent, {
      available: ['get_objects', 'get_topology', 'submit'],
      briefing: { task: 'localisation' },
      actions: {
        get_objects: () => ({ ok: true, text: '', data: [] }),
        get_topology: () => ({ ok: true, text: '', data: { edges } }),
      },
    })
    expect(looked.calls.at(-1)!.input).toMatchObject({ services: ['c', 'b'] })
  },
)

import { expect, test } from 'vitest'
import { type FakeWorld, play } from '../../agent-parts/testing/index.ts'
import { type Script, scriptedModel } from '../../models/testing/index.ts'
import type { Observation } from '../../spec/index.ts'
import { agent, createAgent } from './agent.ts'

const call = (name: string, input: unknown = {}) => ({ name, input })
const playbook = (name: string) => call('run_playbook', { playbook: `- name: ${name}\n  hosts: localhost` })
const verdict = (healthy: boolean, evidence = 'as seen') => ({
  calls: [call('give_verdict', { healthy, evidence })],
})

interface Cast {
  readonly coordinator: Script
  readonly probe?: Script
  readonly execution?: Script
  readonly verification?: Script
}

const perform = async (cast: Cast, world: FakeWorld = {}, options = {}) => {
  const model = {
    coordinator: scriptedModel(cast.coordinator, 'x:coordinator'),
    probe: scriptedModel(cast.probe ?? [], 'x:probe'),
    execution: scriptedModel(cast.execution ?? [], 'x:execution'),
    verification: scriptedModel(cast.verification ?? [], 'x:verification'),
  }
  const played = await play(createAgent(options), { ...world, model })
  return { ...played, model, names: played.calls.map(({ name }) => name) }
}

const RAN: Observation = { ok: true, text: 'changed=1', data: { tasks: [{ outcome: 'changed' }] } }

test('probes, writes a playbook, sees that it helped, and submits', async () => {
  const { names, model, thoughts, slept } = await perform(
    {
      coordinator: [
        { text: 'I must know the limits.', calls: [call('probe', { question: 'What are the limits?' })] },
        { text: 'Raise them.', calls: [playbook('raise')] },
      ],
      probe: [
        { calls: [call('describe', { kind: 'Deployment', name: 'hello-service' })] },
        { calls: [call('report', { summary: '2m of CPU' })] },
      ],
      verification: [verdict(true, 'p95 is 3 ms')],
    },
    { actions: { run_playbook: () => RAN } },
  )
  expect(names).toEqual(['describe', 'run_playbook', 'get_alerts', 'get_metrics', 'submit'])
  expect(slept).toEqual([10_000])
  expect(model.coordinator.asked[1]!.messages.at(-1)).toMatchObject({ role: 'tool', content: '2m of CPU' })
  expect(model.probe.asked[0]!.tools!.map(({ name }) => name)).toEqual([
    'get_alerts',
    'get_metrics',
    'get_logs',
    'describe',
    'report',
  ])
  expect(model.probe.asked[0]!.messages[1]!.content).toContain('What are the limits?')
  expect(model.verification.asked[0]!.messages[1]!.content).toContain('this is get_metrics')
  expect(thoughts.map(({ role }) => role)).toEqual([
    'coordinator',
    'probe',
    'coordinator',
    'execution',
    'verification',
  ])
  expect(model.execution.asked).toHaveLength(0)
})

test('a trial that does not help is reflected on, and another one helps', async () => {
  const { names, model } = await perform(
    {
      coordinator: [
        { calls: [playbook('first')] },
        { text: 'It was the quota.', calls: [playbook('second')] },
      ],
      verification: [verdict(false, 'errors at 40 %'), verdict(true)],
    },
    { actions: { run_playbook: () => RAN } },
  )
  expect(names.filter((name) => name === 'run_playbook')).toHaveLength(2)
  const told = model.coordinator.asked[1]!.messages.at(-1)!
  expect(told.role).toBe('tool')
  for (const part of [
    'changed=1',
    'not healthy: errors at 40 %',
    '2 more trials',
    'which assumption was wrong',
  ])
    expect(told.content).toContain(part)
})

test('a playbook that fails is read by the Execution and verified by nobody', async () => {
  let runs = 0
  const run = (): Observation => (++runs === 1 ? { ok: false, text: 'unknown field cpus' } : RAN)
  const { names, model } = await perform(
    {
      coordinator: [{ calls: [playbook('typo')] }, { calls: [playbook('right')] }],
      execution: ['The field is cpu, not cpus.'],
      verification: [verdict(true)],
    },
    { actions: { run_playbook: run } },
  )
  expect(names).toEqual(['run_playbook', 'run_playbook', 'get_alerts', 'get_metrics', 'submit'])
  expect(model.execution.asked[0]!.messages[1]!.content).toMatch(
    /name: typo[\s\S]*It failed[\s\S]*unknown field cpus/,
  )
  expect(model.coordinator.asked[1]!.messages.at(-1)!.content).toContain('The field is cpu, not cpus.')
})

test('a playbook that changed nothing is read as well', async () => {
  const run = (): Observation => ({
    ok: true,
    text: 'ok=3',
    data: { tasks: [{ outcome: 'ok' }, { outcome: 'skipped' }] },
  })
  const { model } = await perform(
    {
      coordinator: [{ calls: [playbook('idle')] }],
      execution: ['All tasks were skipped.'],
      verification: [verdict(true)],
    },
    { actions: { run_playbook: run } },
  )
  expect(model.execution.asked[0]!.messages[1]!.content).toContain('changed nothing')
})

test('trials are bounded', async () => {
  const { names, model } = await perform(
    {
      coordinator: [{ calls: [playbook('a')] }, { calls: [playbook('b')] }],
      verification: [verdict(false), verdict(false)],
    },
    { actions: { run_playbook: () => RAN } },
    { trials: 2 },
  )
  expect(names.filter((name) => name === 'run_playbook')).toHaveLength(2)
  expect(names.at(-1)).toBe('submit')
  expect(model.coordinator.left()).toBe(0)
})

test('probes are bounded: then only playbook and submit are offered', async () => {
  const question = { calls: [call('probe', { question: 'And now?' })] }
  const { model } = await perform(
    { coordinator: [question, question, { calls: [call('submit')] }], probe: ['Nothing.', 'Still nothing.'] },
    {},
    { probes: 2 },
  )
  const offered = model.coordinator.asked.map(({ tools }) => tools!.map(({ name }) => name).join(' '))
  expect(offered).toEqual(['probe run_playbook submit', 'probe run_playbook submit', 'run_playbook submit'])
})

test('Probe and Verification look only so often, and cannot change anything', async () => {
  const { names, model } = await perform(
    {
      coordinator: [{ calls: [call('probe', { question: 'Why?' })] }, { calls: [playbook('x')] }],
      probe: [
        { calls: [call('exec_shell', { command: 'kubectl delete' }), call('get_logs', 'oops')] },
        { text: 'I saw nothing.', calls: [call('get_logs')] },
      ],
      verification: [{ calls: [call('get_logs')] }, { text: '{"healthy": true}' }],
    },
    { actions: { run_playbook: () => RAN } },
    { looks: 2 },
  )
  expect(names).toEqual(['run_playbook', 'get_alerts', 'get_metrics', 'get_logs', 'submit'])
  expect(model.probe.asked[1]!.tools!.map(({ name }) => name)).toEqual(['report'])
  const told = model.probe.asked[1]!.messages.map(({ content }) => content).join('\n')
  expect(told).toContain('There is no exec_shell here')
  expect(told).toContain('must be one JSON object')
  expect(model.coordinator.asked[1]!.messages.at(-1)!.content).toBe('I saw nothing.')
})

test('no verdict is no health', async () => {
  const { model } = await perform(
    {
      coordinator: [{ calls: [playbook('x')] }, { calls: [call('submit')] }],
      verification: ['I cannot say.'],
    },
    { actions: { run_playbook: () => RAN } },
  )
  expect(model.coordinator.asked[1]!.messages.at(-1)!.content).toContain('it is not healthy: I cannot say.')
})

test('a Coordinator that writes the playbook as text, or calls too much, or nothing, is coped with', async () => {
  const text = await perform(
    {
      coordinator: ['```yaml\n- hosts: localhost\n```', { calls: [call('submit')] }],
      verification: [verdict(false)],
    },
    { actions: { run_playbook: () => RAN } },
  )
  expect(text.names).toEqual(['run_playbook', 'get_alerts', 'get_metrics', 'submit'])
  expect(text.model.coordinator.asked[1]!.messages.at(-1)!.role).toBe('user')

  const much = await perform({
    coordinator: [{ calls: [call('probe', { q: 1 }), call('submit'), playbook('x')] }],
  })
  expect(much.names).toEqual(['submit'])

  const nothing = await perform({ coordinator: ['Hm.', { calls: [call('probe', 'x')] }, 'Hm.'] })
  expect(nothing.names).toEqual(['submit'])
  const roles = nothing.model.coordinator.asked[2]!.messages.slice(2).map(({ role }) => role)
  expect(roles).toEqual(['assistant', 'user', 'assistant', 'tool', 'user'])
})

test('tasks that only ask: no playbook is offered, refused answers are given again', async () => {
  const submit = ({ layer }: Record<string, unknown>) => ({
    ok: layer === 'network',
    text: 'layer is missing',
  })
  const { calls, model } = await perform(
    {
      coordinator: [
        { calls: [call('submit', { type: 'code-defect' })] },
        { calls: [call('submit', { layer: 'network' })] },
      ],
    },
    { briefing: { task: 'analysis' }, actions: { submit } },
  )
  expect(calls.map(({ input }) => input)).toEqual([{ type: 'code-defect' }, { layer: 'network' }])
  expect(model.coordinator.asked[0]!.tools!.map(({ name }) => name)).toEqual(['probe', 'submit'])
  expect(
    model.coordinator.asked[1]!.messages.some(({ content }) => content.includes('layer is missing')),
  ).toBe(true)
})

test('end-to-end: mended first, then asked for the answers', async () => {
  const answers = { detected: true, services: ['a'] }
  const { calls, model } = await perform(
    {
      coordinator: [{ calls: [playbook('x')] }, { calls: [call('submit', answers)] }],
      verification: [verdict(true)],
    },
    { briefing: { task: 'end-to-end' }, actions: { run_playbook: () => RAN } },
  )
  expect(calls.at(-1)).toEqual({ name: 'submit', input: answers })
  expect(model.coordinator.asked[1]!.tools!.map(({ name }) => name)).toEqual(['submit'])
})

test('its parts are declared, and a spent budget goes through', async () => {
  expect(agent.roles).toEqual(['coordinator', 'probe', 'execution', 'verification'])
  const { error } = await perform({ coordinator: [{ calls: [playbook('x')] }] }, { steps: 0 })
  expect(error?.message).toBe('budget spent')
})

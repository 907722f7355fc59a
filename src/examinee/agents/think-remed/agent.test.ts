/** Tests of the agent think-remed. */
import { expect, test } from 'vitest'
import { type PlayOptions, play } from '#examinee/agent-parts/testing'
import { type Script, scriptedModel } from '#examinee/models/testing'
import type { Observation } from '#spec'
import { agent, createAgent } from './agent.ts'

const toolCall = (name: string, input: unknown = {}) => ({ name, input })
const playbookCall = (name: string) =>
  toolCall('run_playbook', { playbook: `- name: ${name}\n  hosts: localhost` })
const verdictAnswer = (healthy: boolean, evidence = 'as seen') => ({
  calls: [toolCall('give_verdict', { healthy, evidence })],
})

interface Scripts {
  readonly coordinator: Script
  readonly probe?: Script
  readonly execution?: Script
  readonly verification?: Script
}

const playScripts = async (scripts: Scripts, playOptions: PlayOptions = {}, options = {}) => {
  const model = {
    coordinator: scriptedModel(scripts.coordinator, 'x:coordinator'),
    probe: scriptedModel(scripts.probe ?? [], 'x:probe'),
    execution: scriptedModel(scripts.execution ?? [], 'x:execution'),
    verification: scriptedModel(scripts.verification ?? [], 'x:verification'),
  }
  const result = await play(createAgent(options), { ...playOptions, model })
  return { ...result, model, names: result.calls.map(({ name }) => name) }
}

const RAN: Observation = { ok: true, text: 'changed=1', data: { tasks: [{ outcome: 'changed' }] } }

test('probes, runs a playbook, verifies it, and submits', async () => {
  const { names, model, thoughts, slept } = await playScripts(
    {
      coordinator: [
        { text: 'I must know the limits.', calls: [toolCall('probe', { question: 'What are the limits?' })] },
        { text: 'Raise them.', calls: [playbookCall('raise')] },
      ],
      probe: [
        { calls: [toolCall('describe', { kind: 'Deployment', name: 'hello-service' })] },
        { calls: [toolCall('report', { summary: '2m of CPU' })] },
      ],
      verification: [verdictAnswer(true, 'p95 is 3 ms')],
    },
    { actions: { run_playbook: () => RAN } },
  )
  expect(names).toEqual(['describe', 'run_playbook', 'get_alerts', 'get_metrics', 'submit'])
  expect(slept).toEqual([10_000])
  expect(model.coordinator.requests[1]!.messages.at(-1)).toMatchObject({ role: 'tool', content: '2m of CPU' })
  expect(model.probe.requests[0]!.tools!.map(({ name }) => name)).toEqual([
    'get_alerts',
    'get_metrics',
    'get_logs',
    'describe',
    'report',
  ])
  expect(model.probe.requests[0]!.messages[1]!.content).toContain('What are the limits?')
  expect(model.verification.requests[0]!.messages[1]!.content).toContain('this is get_metrics')
  expect(thoughts.map(({ role }) => role)).toEqual([
    'coordinator',
    'probe',
    'coordinator',
    'execution',
    'verification',
  ])
  expect(model.execution.requests).toHaveLength(0)
})

test('reflects on a failed trial, and tries again', async () => {
  const { names, model } = await playScripts(
    {
      coordinator: [
        { calls: [playbookCall('first')] },
        { text: 'It was the quota.', calls: [playbookCall('second')] },
      ],
      verification: [verdictAnswer(false, 'errors at 40 %'), verdictAnswer(true)],
    },
    { actions: { run_playbook: () => RAN } },
  )
  expect(names.filter((name) => name === 'run_playbook')).toHaveLength(2)
  const report = model.coordinator.requests[1]!.messages.at(-1)!
  expect(report.role).toBe('tool')
  for (const part of [
    'changed=1',
    'not healthy. Evidence: errors at 40 %',
    '2 more trials',
    'Which assumption was wrong',
  ])
    expect(report.content).toContain(part)
})

test('asks the Execution about a failed playbook, and does not verify it', async () => {
  let runs = 0
  const runPlaybook = (): Observation => (++runs === 1 ? { ok: false, text: 'unknown field cpus' } : RAN)
  const { names, model } = await playScripts(
    {
      coordinator: [{ calls: [playbookCall('typo')] }, { calls: [playbookCall('right')] }],
      execution: ['The field is cpu, not cpus.'],
      verification: [verdictAnswer(true)],
    },
    { actions: { run_playbook: runPlaybook } },
  )
  expect(names).toEqual(['run_playbook', 'run_playbook', 'get_alerts', 'get_metrics', 'submit'])
  expect(model.execution.requests[0]!.messages[1]!.content).toMatch(
    /name: typo[\s\S]*The playbook failed[\s\S]*unknown field cpus/,
  )
  expect(model.coordinator.requests[1]!.messages.at(-1)!.content).toContain('The field is cpu, not cpus.')
})

test('asks the Execution about a playbook that changed nothing', async () => {
  const runPlaybook = (): Observation => ({
    ok: true,
    text: 'ok=3',
    data: { tasks: [{ outcome: 'ok' }, { outcome: 'skipped' }] },
  })
  const { model } = await playScripts(
    {
      coordinator: [{ calls: [playbookCall('idle')] }],
      execution: ['All tasks were skipped.'],
      verification: [verdictAnswer(true)],
    },
    { actions: { run_playbook: runPlaybook } },
  )
  expect(model.execution.requests[0]!.messages[1]!.content).toContain('changed nothing')
})

test('stops after the last trial', async () => {
  const { names, model } = await playScripts(
    {
      coordinator: [{ calls: [playbookCall('a')] }, { calls: [playbookCall('b')] }],
      verification: [verdictAnswer(false), verdictAnswer(false)],
    },
    { actions: { run_playbook: () => RAN } },
    { trials: 2 },
  )
  expect(names.filter((name) => name === 'run_playbook')).toHaveLength(2)
  expect(names.at(-1)).toBe('submit')
  expect(model.coordinator.remaining()).toBe(0)
})

test('offers only run_playbook and submit after the last probe', async () => {
  const question = { calls: [toolCall('probe', { question: 'And now?' })] }
  const { model } = await playScripts(
    {
      coordinator: [question, question, { calls: [toolCall('submit')] }],
      probe: ['Nothing.', 'Still nothing.'],
    },
    {},
    { probes: 2 },
  )
  const offered = model.coordinator.requests.map(({ tools }) => tools!.map(({ name }) => name).join(' '))
  expect(offered).toEqual(['probe run_playbook submit', 'probe run_playbook submit', 'run_playbook submit'])
})

test('limits the observations of Probe and Verification to read-only actions', async () => {
  const { names, model } = await playScripts(
    {
      coordinator: [{ calls: [toolCall('probe', { question: 'Why?' })] }, { calls: [playbookCall('x')] }],
      probe: [
        { calls: [toolCall('exec_shell', { command: 'kubectl delete' }), toolCall('get_logs', 'oops')] },
        { text: 'I saw nothing.', calls: [toolCall('get_logs')] },
      ],
      verification: [{ calls: [toolCall('get_logs')] }, { text: '{"healthy": true}' }],
    },
    { actions: { run_playbook: () => RAN } },
    { observationRounds: 2 },
  )
  expect(names).toEqual(['run_playbook', 'get_alerts', 'get_metrics', 'get_logs', 'submit'])
  expect(model.probe.requests[1]!.tools!.map(({ name }) => name)).toEqual(['report'])
  const received = model.probe.requests[1]!.messages.map(({ content }) => content).join('\n')
  expect(received).toContain('The tool exec_shell is not available.')
  expect(received).toContain('must be a JSON object')
  expect(model.coordinator.requests[1]!.messages.at(-1)!.content).toBe('I saw nothing.')
})

test('treats a missing verdict as not healthy', async () => {
  const { model } = await playScripts(
    {
      coordinator: [{ calls: [playbookCall('x')] }, { calls: [toolCall('submit')] }],
      verification: ['I cannot say.'],
    },
    { actions: { run_playbook: () => RAN } },
  )
  expect(model.coordinator.requests[1]!.messages.at(-1)!.content).toContain(
    'not healthy. Evidence: I cannot say.',
  )
})

test('accepts a playbook as text, several calls, and answers without a call', async () => {
  const textOnly = await playScripts(
    {
      coordinator: ['```yaml\n- hosts: localhost\n```', { calls: [toolCall('submit')] }],
      verification: [verdictAnswer(false)],
    },
    { actions: { run_playbook: () => RAN } },
  )
  expect(textOnly.names).toEqual(['run_playbook', 'get_alerts', 'get_metrics', 'submit'])
  expect(textOnly.model.coordinator.requests[1]!.messages.at(-1)!.role).toBe('user')

  const severalCalls = await playScripts({
    coordinator: [{ calls: [toolCall('probe', { q: 1 }), toolCall('submit'), playbookCall('x')] }],
  })
  expect(severalCalls.names).toEqual(['submit'])

  const noCalls = await playScripts({ coordinator: ['Hm.', { calls: [toolCall('probe', 'x')] }, 'Hm.'] })
  expect(noCalls.names).toEqual(['submit'])
  const roles = noCalls.model.coordinator.requests[2]!.messages.slice(2).map(({ role }) => role)
  expect(roles).toEqual(['assistant', 'user', 'assistant', 'tool', 'user'])
})

test('offers no playbook in read-only tasks, and retries refused answers', async () => {
  const submit = ({ layer }: Record<string, unknown>) => ({
    ok: layer === 'network',
    text: 'layer is missing',
  })
  const { calls, model } = await playScripts(
    {
      coordinator: [
        { calls: [toolCall('submit', { type: 'code-defect' })] },
        { calls: [toolCall('submit', { layer: 'network' })] },
      ],
    },
    { briefing: { task: 'analysis' }, actions: { submit } },
  )
  expect(calls.map(({ input }) => input)).toEqual([{ type: 'code-defect' }, { layer: 'network' }])
  expect(model.coordinator.requests[0]!.tools!.map(({ name }) => name)).toEqual(['probe', 'submit'])
  expect(
    model.coordinator.requests[1]!.messages.some(({ content }) => content.includes('layer is missing')),
  ).toBe(true)
})

test('asks for the answers of end-to-end after the repair', async () => {
  const answers = { detected: true, services: ['a'] }
  const { calls, model } = await playScripts(
    {
      coordinator: [{ calls: [playbookCall('x')] }, { calls: [toolCall('submit', answers)] }],
      verification: [verdictAnswer(true)],
    },
    { briefing: { task: 'end-to-end' }, actions: { run_playbook: () => RAN } },
  )
  expect(calls.at(-1)).toEqual({ name: 'submit', input: answers })
  expect(model.coordinator.requests[1]!.tools!.map(({ name }) => name)).toEqual(['submit'])
})

test('declares its roles, and rethrows the error of a spent budget', async () => {
  expect(agent.roles).toEqual(['coordinator', 'probe', 'execution', 'verification'])
  const { error } = await playScripts({ coordinator: [{ calls: [playbookCall('x')] }] }, { steps: 0 })
  expect(error?.message).toBe('budget spent')
})

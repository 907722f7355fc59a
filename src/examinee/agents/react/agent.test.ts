/** Tests of the agent react. */
import { expect, test } from 'vitest'
import { play } from '#examinee/agent-parts/testing'
import { scriptedModel } from '#examinee/models/testing'
import { TASKS, taskOf } from '#spec'
import { agent, createAgent } from './agent.ts'

const toolCall = (name: string, input: unknown = {}) => ({ name, input })

test('thinks, acts and observes until it submits', async () => {
  const model = scriptedModel([
    { text: 'What is failing?', calls: [toolCall('get_alerts')] },
    { text: 'Repair it.', calls: [toolCall('run_playbook', { playbook: '- hosts: localhost' })] },
    { text: 'Done.', calls: [toolCall('submit')] },
  ])
  const { calls, thoughts } = await play(agent, {
    model,
    actions: { get_alerts: () => 'hello-service fails' },
  })
  expect(calls.map(({ name }) => name)).toEqual(['get_alerts', 'run_playbook', 'submit'])
  expect(thoughts.map(({ thought }) => thought)).toEqual(['What is failing?', 'Repair it.', 'Done.'])
  expect(model.requests[1]!.messages.slice(2)).toEqual([
    {
      role: 'assistant',
      content: 'What is failing?',
      toolCalls: [{ id: 'call-0-0', name: 'get_alerts', input: {} }],
    },
    { role: 'tool', content: 'hello-service fails', toolCallId: 'call-0-0', toolName: 'get_alerts' },
  ])
})

test.each(TASKS)('describes the task %s, and offers all tools', async (task) => {
  const model = scriptedModel([{ calls: [toolCall('submit', { detected: true })] }])
  await play(agent, { model, briefing: { task } })
  const { messages, tools } = model.requests[0]!
  expect(tools).toHaveLength(7)
  expect(messages[0]!.content.includes('Playbooks:')).toBe(taskOf(task).repairs)
  expect(messages[1]!.content).toContain('submit')
})

test('performs several calls in order, but none after a submit', async () => {
  const model = scriptedModel([
    { calls: [toolCall('get_logs', { service: 'a' }), toolCall('get_metrics'), toolCall('nonsense')] },
    { calls: [toolCall('submit'), toolCall('exec_shell', { command: 'rm' })] },
  ])
  const actions = { nonsense: () => ({ ok: false, text: 'There is no nonsense.' }) }
  const { calls } = await play(agent, { model, actions })
  expect(calls.map(({ name }) => name)).toEqual(['get_logs', 'get_metrics', 'nonsense', 'submit'])
  expect(model.requests[1]!.messages.at(-1)!.content).toBe('Error: There is no nonsense.')
})

test('reports a refused submit, and continues', async () => {
  const model = scriptedModel([
    { calls: [toolCall('submit')] },
    { calls: [toolCall('submit', { detected: true })] },
  ])
  const actions = {
    submit: ({ detected }: Record<string, unknown>) => ({
      ok: detected === true,
      text: 'detected is missing',
    }),
  }
  const { calls } = await play(agent, { model, actions, briefing: { task: 'detection' } })
  expect(calls).toHaveLength(2)
  expect(model.requests[1]!.messages.at(-1)!.content).toContain('detected is missing')
})

test('gives up after repeated refused submits', async () => {
  const model = scriptedModel(
    Array.from({ length: 9 }, () => ({ calls: [toolCall('submit', { type: 'odd' })] })),
  )
  const actions = { submit: () => ({ ok: false, text: 'There is no type "odd".' }) }
  const { calls, thoughts } = await play(agent, { model, actions, briefing: { task: 'analysis' } })
  expect(calls).toHaveLength(3)
  expect(thoughts.at(-1)!.thought).toContain('Giving up')
})

test('reports an input that is not an object without spending a step', async () => {
  const model = scriptedModel([
    { calls: [toolCall('get_logs', '{"service": ')] },
    { calls: [toolCall('submit')] },
  ])
  const { calls } = await play(agent, { model })
  expect(calls.map(({ name }) => name)).toEqual(['submit'])
  expect(model.requests[1]!.messages.at(-1)!.content).toMatch(/must be a JSON object.*\{"service": /)
})

test('sends reminders after answers without a call, and gives up', async () => {
  const model = scriptedModel(['Hm.', { text: 'Too long', finish: 'length' }, 'Hm!'])
  const { calls, thoughts, error } = await play(agent, { model })
  expect([calls, error]).toEqual([[], undefined])
  expect(model.requests[1]!.messages.at(-1)!.content).toContain('no tool call')
  expect(model.requests[2]!.messages.at(-1)!.content).toContain('truncated')
  expect(thoughts.at(-1)!.thought).toContain('Giving up')
})

test('resets the count of idle answers after a valid call', async () => {
  const model = scriptedModel([
    'Hm.',
    { calls: [toolCall('get_alerts')] },
    'Hm.',
    { calls: [toolCall('submit')] },
  ])
  const { calls } = await play(createAgent({ idleAnswers: 2 }), { model })
  expect(calls.map(({ name }) => name)).toEqual(['get_alerts', 'submit'])
})

test('shortens old observations of a long conversation, but not new ones', async () => {
  const longLog = 'x'.repeat(5000)
  const logCalls = Array.from({ length: 6 }, () => ({ calls: [toolCall('get_logs')] }))
  const model = scriptedModel([...logCalls, { calls: [toolCall('submit')] }])
  await play(createAgent({ contextCharacters: 20_000 }), { model, actions: { get_logs: () => longLog } })
  const lastMessages = model.requests.at(-1)!.messages
  const lengths = lastMessages.filter(({ role }) => role === 'tool').map(({ content }) => content.length)
  expect(lengths.slice(-3)).toEqual([5000, 5000, 5000])
  expect(lengths[0]).toBeLessThan(500)
  expect(lastMessages.find(({ role }) => role === 'tool')!.content).toContain(
    '4700 characters of this old observation were removed',
  )
})

test('rethrows the error of a spent budget', async () => {
  const model = scriptedModel([{ calls: [toolCall('get_logs')] }, { calls: [toolCall('get_logs')] }])
  const { error } = await play(agent, { model, steps: 1 })
  expect(error?.message).toBe('budget spent')
})

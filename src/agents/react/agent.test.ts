import { expect, test } from 'vitest'
import { play } from '../../agent-parts/testing/index.ts'
import { scriptedModel } from '../../models/testing/index.ts'
import { TASKS } from '../../spec/index.ts'
import { agent, createAgent } from './agent.ts'

const call = (name: string, input: unknown = {}) => ({ name, input })

test('thinks, acts, observes, and ends by submitting', async () => {
  const model = scriptedModel([
    { text: 'What burns?', calls: [call('get_alerts')] },
    { text: 'Mend it.', calls: [call('run_playbook', { playbook: '- hosts: localhost' })] },
    { text: 'Done.', calls: [call('submit')] },
  ])
  const { calls, thoughts } = await play(agent, {
    model,
    actions: { get_alerts: () => 'hello-service burns' },
  })
  expect(calls.map(({ name }) => name)).toEqual(['get_alerts', 'run_playbook', 'submit'])
  expect(thoughts.map(({ thought }) => thought)).toEqual(['What burns?', 'Mend it.', 'Done.'])
  expect(model.asked[1]!.messages.slice(2)).toEqual([
    {
      role: 'assistant',
      content: 'What burns?',
      toolCalls: [{ id: 'call-0-0', name: 'get_alerts', input: {} }],
    },
    { role: 'tool', content: 'hello-service burns', toolCallId: 'call-0-0', toolName: 'get_alerts' },
  ])
})

test.each(TASKS)('%s: the prompt says what is wanted, and all tools are there', async (task) => {
  const model = scriptedModel([{ calls: [call('submit', { detected: true })] }])
  await play(agent, { model, briefing: { task } })
  const { messages, tools } = model.asked[0]!
  expect(tools).toHaveLength(7)
  expect(messages[0]!.content.includes('About playbooks')).toBe(
    !['detection', 'localisation', 'analysis'].includes(task),
  )
  expect(messages[1]!.content).toContain('submit')
})

test('several calls in one answer are done in order; none after a submission', async () => {
  const model = scriptedModel([
    { calls: [call('get_logs', { service: 'a' }), call('get_metrics'), call('nonsense')] },
    { calls: [call('submit'), call('exec_shell', { command: 'rm' })] },
  ])
  const actions = { nonsense: () => ({ ok: false, text: 'There is no nonsense.' }) }
  const { calls } = await play(agent, { model, actions })
  expect(calls.map(({ name }) => name)).toEqual(['get_logs', 'get_metrics', 'nonsense', 'submit'])
  expect(model.asked[1]!.messages.at(-1)!.content).toBe('This did not work. There is no nonsense.')
})

test('a submission that is refused is told, and made again', async () => {
  const model = scriptedModel([{ calls: [call('submit')] }, { calls: [call('submit', { detected: true })] }])
  const actions = {
    submit: ({ detected }: Record<string, unknown>) => ({
      ok: detected === true,
      text: 'detected is missing',
    }),
  }
  const { calls } = await play(agent, { model, actions, briefing: { task: 'detection' } })
  expect(calls).toHaveLength(2)
  expect(model.asked[1]!.messages.at(-1)!.content).toContain('detected is missing')
})

test('submissions that are refused over and over are bounded', async () => {
  const model = scriptedModel(Array.from({ length: 9 }, () => ({ calls: [call('submit', { type: 'odd' })] })))
  const actions = { submit: () => ({ ok: false, text: 'There is no type "odd".' }) }
  const { calls, thoughts } = await play(agent, { model, actions, briefing: { task: 'analysis' } })
  expect(calls).toHaveLength(3)
  expect(thoughts.at(-1)!.thought).toContain('give up')
})

test('input that is no object is told without a step', async () => {
  const model = scriptedModel([{ calls: [call('get_logs', '{"service": ')] }, { calls: [call('submit')] }])
  const { calls } = await play(agent, { model })
  expect(calls.map(({ name }) => name)).toEqual(['submit'])
  expect(model.asked[1]!.messages.at(-1)!.content).toMatch(/must be one JSON object.*\{"service": /)
})

test('answers without a call are reminded of it, and bounded', async () => {
  const model = scriptedModel(['Hm.', { text: 'Too long', finish: 'length' }, 'Hm!'])
  const { calls, thoughts, error } = await play(agent, { model })
  expect([calls, error]).toEqual([[], undefined])
  expect(model.asked[1]!.messages.at(-1)!.content).toContain('no tool call')
  expect(model.asked[2]!.messages.at(-1)!.content).toContain('cut off')
  expect(thoughts.at(-1)!.thought).toContain('give up')
})

test('a useful answer makes it patient again', async () => {
  const model = scriptedModel(['Hm.', { calls: [call('get_alerts')] }, 'Hm.', { calls: [call('submit')] }])
  const { calls } = await play(createAgent({ idleAnswers: 2 }), { model })
  expect(calls.map(({ name }) => name)).toEqual(['get_alerts', 'submit'])
})

test('old observations are shortened when the conversation grows, new ones are not', async () => {
  const long = 'x'.repeat(5000)
  const looks = Array.from({ length: 6 }, () => ({ calls: [call('get_logs')] }))
  const model = scriptedModel([...looks, { calls: [call('submit')] }])
  await play(createAgent({ contextLetters: 20_000 }), { model, actions: { get_logs: () => long } })
  const last = model.asked.at(-1)!.messages
  const lengths = last.filter(({ role }) => role === 'tool').map(({ content }) => content.length)
  expect(lengths.slice(-3)).toEqual([5000, 5000, 5000])
  expect(lengths[0]).toBeLessThan(500)
  expect(last.find(({ role }) => role === 'tool')!.content).toContain('4700 letters of this are left out')
})

test('a spent budget goes through', async () => {
  const model = scriptedModel([{ calls: [call('get_logs')] }, { calls: [call('get_logs')] }])
  const { error } = await play(agent, { model, steps: 1 })
  expect(error?.message).toBe('budget spent')
})

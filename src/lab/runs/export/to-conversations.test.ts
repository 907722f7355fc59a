/** Tests that conversations from all kinds of records follow the rules of trainers. */
import { describe, expect, it } from 'vitest'
import { exampleAnswer, exampleRecord } from '#lab/testing'
import type { ChatMessage, ModelAnswer, ToolDescription } from '#spec'
import { toMessages } from './to-messages.ts'
import { toShareGpt } from './to-share-gpt.ts'
import { toTrajectory } from './to-trajectory.ts'

type Event = Parameters<typeof exampleRecord>[number]

const tool = (name: string): ToolDescription => ({ name, about: `to ${name}`, input: { type: 'object' } })
const call = (id: string, name: string, input: unknown = {}) => ({ id, name, input })
const START: readonly ChatMessage[] = [
  { role: 'system', content: 'You repair.' },
  { role: 'user', content: 'cart suffers' },
]
const result = (id: string, content = `result of ${id}`): ChatMessage => ({
  role: 'tool',
  content,
  toolCallId: id,
  toolName: 'get_logs',
})
const modelCall = (
  messages: readonly ChatMessage[],
  answer: Partial<ModelAnswer>,
  role = 'solver',
): Event => ({
  type: 'model-called',
  role,
  model: 'openai:x',
  tools: ['get_logs', 'run_playbook'],
  toolDefinitions: [tool('get_logs'), tool('run_playbook')],
  messages,
  answer: exampleAnswer(answer),
})
const stepTaken = (action: string): Event => ({
  type: 'step-taken',
  action,
  input: {},
  observation: 'done',
})

const RAW = 'I look.\n```json\n{"tool": "get_logs", "input": {}}\n```'
const PLAYBOOK = 'Here:\n```yaml\n- hosts: localhost\n```'

const RECORDS: Readonly<Record<string, readonly Event[]>> = {
  'several calls with reasoning, and a submit whose result is never read': [
    modelCall(START, { reasoning: 'Hm.', toolCalls: [call('1', 'get_logs'), call('2', 'get_logs')] }),
    modelCall([result('1'), result('2')], { text: 'Done.', toolCalls: [call('3', 'submit')] }),
    stepTaken('submit'),
  ],
  'a playbook in a fenced block': [
    modelCall(START, { text: PLAYBOOK }),
    stepTaken('run_playbook'),
    { type: 'thought-noted', role: 'solver', thought: 'The playbook completed.' },
    stepTaken('submit'),
  ],
  'refused, empty and cut answers': [
    modelCall(START, { finish: 'refused' }),
    modelCall([{ role: 'user', content: 'Call a tool.' }], { text: 'I th', finish: 'length' }),
    modelCall([{ role: 'user', content: 'Shorter.' }], {
      toolCalls: [call('1', 'get_logs', '{"service": ')],
    }),
    modelCall([result('1', 'Error: not JSON')], { text: 'I give up.' }),
  ],
  'tools offered as text': [
    modelCall(START, { text: 'I look.', rawText: RAW, toolCalls: [call('t', 'get_logs')], toolMode: 'text' }),
    stepTaken('get_logs'),
    modelCall([result('t'), { role: 'user', content: 'Go on.' }], { text: 'Done.', toolMode: 'text' }),
  ],
  'two roles': [
    modelCall(START, { toolCalls: [call('1', 'probe')] }, 'coordinator'),
    modelCall(START, { toolCalls: [call('2', 'get_logs')] }, 'probe'),
    stepTaken('get_logs'),
    modelCall([result('2')], { text: 'It is the cart.' }, 'probe'),
    stepTaken('get_alerts'),
    modelCall([result('1')], { text: 'Done.' }, 'coordinator'),
  ],
  'a model call without its messages': [
    modelCall(START, { text: 'First.' }),
    { ...modelCall([], { text: '(9 characters omitted)' }), isClipped: true } as Event,
  ],
  'an agent without a model': [
    {
      type: 'actions-offered',
      briefing: {
        task: 'mitigation',
        system: 'shop',
        namespace: 'shop-space',
        report: { kind: 'symptoms', text: 'cart suffers' },
        budget: { steps: 5, seconds: 60 },
      },
      actions: [tool('get_logs'), tool('submit')],
    },
    { type: 'thought-noted', role: 'one', thought: 'First the logs.' },
    { type: 'thought-noted', role: 'two', thought: 'Yes.' },
    stepTaken('get_logs'),
    stepTaken('submit'),
    { type: 'thought-noted', thought: 'Done.' },
  ],
}

const rowsOf = (name: string) => {
  const trajectory = toTrajectory(exampleRecord(...RECORDS[name]!))
  return { shareGpt: toShareGpt(trajectory, 'a'), messages: toMessages(trajectory, 'a') }
}

/** All answers of models in the record; all events if the agent has no model. */
const answersIn = (name: string): string =>
  JSON.stringify(
    RECORDS[name]!.map((event) => {
      if (event.type === 'model-called') return event.answer
      return RECORDS[name]!.some(({ type }) => type === 'model-called') ? '' : event
    }),
  )

describe.each(Object.keys(RECORDS))('%s', (name) => {
  const { shareGpt, messages } = rowsOf(name)

  it('has rows', () => {
    expect(shareGpt.length).toBeGreaterThan(0)
    expect(messages.map(({ id }) => id)).toEqual(shareGpt.map(({ id }) => id))
  })

  it('follows the rules of LLaMA-Factory', () => {
    for (const { conversations, tools } of shareGpt) {
      const turns = conversations[0]?.from === 'system' ? conversations.slice(1) : conversations
      expect(turns.length % 2).toBe(0)
      expect(turns.length).toBeGreaterThan(0)
      for (const [index, { from, value }] of turns.entries()) {
        expect(index % 2 === 0 ? ['human', 'observation'] : ['gpt', 'function_call']).toContain(from)
        if (from !== 'function_call') continue
        const calls = JSON.parse(/<tool_call>(.*?)<\/tool_call>/s.exec(value)?.[1] ?? value)
        for (const entry of calls) expect(Object.keys(entry)).toEqual(['name', 'arguments'])
      }
      expect(Array.isArray(JSON.parse(tools))).toBe(true)
    }
  })

  it('follows the rules of chat templates', () => {
    for (const row of messages as readonly { messages: readonly Record<string, unknown>[] }[]) {
      let unanswered: string[] = []
      let previousRole = 'none'
      for (const { role, content, tool_calls = [], tool_call_id } of row.messages) {
        expect(typeof content).toBe('string')
        if (role === 'tool') {
          expect(unanswered).toContain(tool_call_id)
          unanswered = unanswered.filter((id) => id !== tool_call_id)
        } else expect(unanswered).toEqual([])
        if (role === 'system') expect(previousRole).toBe('none')
        if (role === 'assistant') expect(['user', 'tool']).toContain(previousRole)
        if (role === 'assistant') unanswered = (tool_calls as { id: string }[]).map(({ id }) => id)
        previousRole = String(role)
      }
      expect(previousRole).toBe('assistant')
    }
  })

  it('contains only answers that are in the record', () => {
    const recorded = answersIn(name)
    for (const row of messages as readonly { messages: readonly Record<string, unknown>[] }[])
      for (const { role, content, tool_calls } of row.messages.filter(({ role }) => role === 'assistant')) {
        for (const line of String(content).split('\n'))
          expect(recorded).toContain(JSON.stringify(line).slice(1, -1))
        for (const { function: called } of (tool_calls ?? []) as { function: { name: string } }[])
          expect(recorded, role as string).toContain(`"${called.name}"`)
      }
  })
})

describe('training conversations', () => {
  it('do not contain the action that runs a playbook given as text', () => {
    const [row] = rowsOf('a playbook in a fenced block').shareGpt
    expect(row!.conversations.map(({ from }) => from)).toEqual(['system', 'human', 'gpt'])
    expect(row!.conversations[2]!.value).toBe(PLAYBOOK)
  })

  it('contain the text that was sent to the model if tools were offered as text', () => {
    const { shareGpt, messages } = rowsOf('tools offered as text')
    const turns = messages[0]!.messages as { role: string; content: string }[]
    expect(turns.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant'])
    expect(turns[0]!.content).toMatch(/^You repair\.\n\nYou can call tools[\s\S]*- get_logs: to get_logs/)
    expect(turns[2]!.content).toBe(RAW)
    expect(turns[3]!.content).toBe('Result of get_logs:\nresult of t\n\nGo on.')
    expect([messages[0]!.tools, shareGpt[0]!.tools]).toEqual(['[]', '[]'])
  })

  it('have the tools that were offered, and the reasoning', () => {
    const [row] = rowsOf('several calls with reasoning, and a submit whose result is never read').messages
    const names = JSON.parse(row!.tools).map((entry: { function: { name: string } }) => entry.function.name)
    expect(names).toEqual(['get_logs', 'run_playbook'])
    expect(row!.messages[2]).toMatchObject({
      reasoning_content: 'Hm.',
      tool_calls: [{ id: '1' }, { id: '2' }],
    })
  })

  it('end before a call whose arguments are not an object', () => {
    const [row] = rowsOf('refused, empty and cut answers').shareGpt
    expect(row!.conversations.at(-1)).toEqual({ from: 'gpt', value: 'I th' })
  })

  it('mark answers that are incomplete or missing, and shortened text', () => {
    expect(rowsOf('refused, empty and cut answers').messages[0]!.metadata).toMatchObject({
      incompleteAnswers: 2,
      missingAnswers: 2,
      isClipped: false,
    })
    expect(rowsOf('a model call without its messages').messages[0]).toMatchObject({
      messages: [{ role: 'system' }, { role: 'user' }, { content: 'First.' }],
      metadata: { missingAnswers: 1, isClipped: true },
    })
  })

  it('have the task and the actions of an agent without a model', () => {
    const [row, ...more] = rowsOf('an agent without a model').messages
    expect(more).toEqual([])
    expect(JSON.parse(row!.tools)).toHaveLength(2)
    expect(row!.metadata).not.toHaveProperty('role')
    expect(row!.messages).toMatchObject([
      { role: 'system', content: expect.stringContaining('namespace shop-space') },
      { role: 'user', content: expect.stringContaining('cart suffers') },
      { role: 'assistant', content: 'First the logs.\nYes.', tool_calls: [{ id: 'action-1' }] },
      { role: 'tool', content: 'done', tool_call_id: 'action-1' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'action-2' }] },
      { role: 'tool' },
      { role: 'assistant', content: 'Done.' },
    ])
  })
})

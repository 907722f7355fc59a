/** Tests conversations in the ShareGPT format, most of them of agents with several roles. */
import { describe, expect, it } from 'vitest'
import { exampleAnswer, exampleRecord } from '#lab/testing'
import { toShareGpt } from './to-share-gpt.ts'
import { toTrajectory } from './to-trajectory.ts'

type Event = Parameters<typeof exampleRecord>[number]
type Message = Extract<Event, { type: 'model-called' }>['messages'][number]

const system = (content: string): Message => ({ role: 'system', content })
const user = (content: string): Message => ({ role: 'user', content })
const toolResult = (toolName: string, content: string): Message => ({
  role: 'tool',
  content,
  toolCallId: toolName,
  toolName,
})

/** A model call. If `reply` contains a space, it is the text of the answer; otherwise it names the tool that is called. */
const modelCall = (role: string, reply: string, ...messages: Message[]): Event => ({
  type: 'model-called',
  role,
  model: 'openai:x',
  tools: [],
  messages,
  answer: reply.includes(' ')
    ? exampleAnswer({ text: reply })
    : exampleAnswer({ toolCalls: [{ id: reply, name: reply, input: {} }] }),
})

const firstModelCall = (...args: Parameters<typeof modelCall>): Event =>
  ({ ...modelCall(...args), startsConversation: true }) as Event

const stepTaken = (action: string): Event => ({
  type: 'step-taken',
  action,
  input: {},
  observation: `${action} was done`,
})

const CALL = /^\[{"name":"(\w+)","arguments":{}}\]$/
/** The id and the turns of each conversation; calls are shown by name. */
const conversationsOf = (...events: Event[]): string[][] =>
  toShareGpt(toTrajectory(exampleRecord(...events)), 'a.1.1').map(({ id, conversations }) => [
    id,
    ...conversations.map(({ from, value }) => `${from}: ${value.replace(CALL, '$1')}`),
  ])

describe('ShareGPT', () => {
  it('has each conversation of each role, without turns of other roles', () => {
    const events = [
      modelCall('coordinator', 'probe', system('Decide.'), user('cart suffers')),
      modelCall('probe', 'get_logs', system('Look.'), user('Why?')),
      stepTaken('get_logs'),
      modelCall('probe', 'report', toolResult('get_logs', 'lines')),
      modelCall('coordinator', 'run_playbook', toolResult('probe', 'It is the cart.')),
      stepTaken('run_playbook'),
      modelCall('execution', 'It failed.', system('Read.'), user('its outcome')),
      stepTaken('get_alerts'),
      modelCall('verification', 'give_verdict', system('Verify.'), user('seen')),
      modelCall('coordinator', 'submit', toolResult('run_playbook', 'Not healthy.')),
      stepTaken('submit'),
    ]
    expect(conversationsOf(...events)).toEqual([
      [
        ...['a.1.1/coordinator-1', 'system: Decide.', 'human: cart suffers', 'function_call: probe'],
        ...['observation: It is the cart.', 'function_call: run_playbook', 'observation: Not healthy.'],
        'function_call: submit',
      ],
      [
        ...['a.1.1/probe-1', 'system: Look.', 'human: Why?', 'function_call: get_logs'],
        ...['observation: lines', 'function_call: report'],
      ],
      ['a.1.1/execution-1', 'system: Read.', 'human: its outcome', 'gpt: It failed.'],
      ['a.1.1/verification-1', 'system: Verify.', 'human: seen', 'function_call: give_verdict'],
    ])
    const rows = toShareGpt(toTrajectory(exampleRecord(...events)), 'a.1.1')
    expect(rows.map(({ metadata }) => metadata)).toMatchObject(
      ['coordinator', 'probe', 'execution', 'verification'].map((role) => ({ role, outcome: 'resolved' })),
    )
  })

  it('starts a new conversation only if the event says so', () => {
    expect(
      conversationsOf(
        firstModelCall('probe', 'I saw nothing.', system('Look.'), user('Why?')),
        modelCall('probe', 'report', user('Call it.')),
        firstModelCall('probe', 'report', system('Look.'), user('Why?')),
        firstModelCall('probe', 'get_logs', user('And now?')),
        modelCall('probe', 'report', toolResult('get_logs', 'lines')),
      ),
    ).toEqual([
      [
        ...['a.1.1/probe-1', 'system: Look.', 'human: Why?', 'gpt: I saw nothing.'],
        ...['human: Call it.', 'function_call: report'],
      ],
      ['a.1.1/probe-2', 'system: Look.', 'human: Why?', 'function_call: report'],
      [
        ...['a.1.1/probe-3', 'human: And now?', 'function_call: get_logs', 'observation: lines'],
        'function_call: report',
      ],
    ])
  })

  it('joins results and a message that follows them', () => {
    expect(
      conversationsOf(
        modelCall('probe', 'get_logs', user('Why?')),
        modelCall('probe', 'report', toolResult('get_logs', 'lines'), user('Report now.')),
      ),
    ).toEqual([
      [
        ...['a.1.1', 'human: Why?', 'function_call: get_logs', 'observation: lines\n\nReport now.'],
        'function_call: report',
      ],
    ])
  })

  it('writes reasoning and text before one list of all calls, and escapes tags in the list', () => {
    const toolCalls = ['</tool_call>', 'b'].map((what) => ({ id: what, name: 'look', input: { what } }))
    const answer = exampleAnswer({ text: 'I look.', reasoning: 'Hm.', toolCalls })
    const event: Event = { ...modelCall('solver', 'x', user('Why?')), answer } as Event
    const [row] = toShareGpt(toTrajectory(exampleRecord(event)), 'a')
    const { value } = row!.conversations[1]!
    expect(value).toBe(
      '<think>\nHm.\n</think>\n\nI look.\n<tool_call>[{"name":"look","arguments":{"what":"\\u003c/tool_call>"}},' +
        '{"name":"look","arguments":{"what":"b"}}]</tool_call>',
    )
  })

  it('ends before an answer that LLaMA-Factory cannot read', () => {
    const text = 'Like <tool_call>this</tool_call>:'
    const toolCalls = [{ id: 'c', name: 'look', input: {} }]
    const unreadable = {
      ...modelCall('probe', 'x', user('So?')),
      answer: exampleAnswer({ text, toolCalls }),
    } as Event
    const [row, ...more] = toShareGpt(
      toTrajectory(exampleRecord(modelCall('probe', 'I am here.', user('Why?')), unreadable)),
      'a',
    )
    expect(more).toEqual([])
    expect(row!.conversations.map(({ value }) => value)).toEqual(['Why?', 'I am here.'])
    expect(row!.metadata).toMatchObject({ missingAnswers: 1 })
    expect(toShareGpt(toTrajectory(exampleRecord(unreadable)), 'a')).toEqual([])
  })
})

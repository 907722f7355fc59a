/** Tests the conversations of agents with several roles. */
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

/** A model call. Its answer is a call with its name as the id, or a text if it contains a space. */
const asks = (role: string, said: string, ...messages: Message[]): Event => ({
  type: 'model-called',
  role,
  model: 'openai:x',
  tools: [],
  messages,
  answer: said.includes(' ')
    ? exampleAnswer({ text: said })
    : exampleAnswer({ toolCalls: [{ id: said, name: said, input: {} }] }),
})

const begins = (...args: Parameters<typeof asks>): Event =>
  ({ ...asks(...args), startsConversation: true }) as Event

const took = (action: string): Event => ({
  type: 'step-taken',
  action,
  input: {},
  observation: `${action} was done`,
})

const CALL = /<tool_call>\n{"name":"(\w+)","arguments":{}}\n<\/tool_call>/g
/** The id and the turns of each conversation; calls are shown by name. */
const talksOf = (...events: Event[]): string[][] =>
  toShareGpt(toTrajectory(exampleRecord(...events)), 'a.1.1').map(({ id, conversations }) => [
    id,
    ...conversations.map(({ from, value }) => `${from}: ${value.replace(CALL, '$1')}`),
  ])

describe('ShareGPT', () => {
  it('has each conversation of each role, without turns of other roles', () => {
    const parts = [
      asks('coordinator', 'probe', system('Decide.'), user('cart suffers')),
      asks('probe', 'get_logs', system('Look.'), user('Why?')),
      took('get_logs'),
      asks('probe', 'report', toolResult('get_logs', 'lines')),
      asks('coordinator', 'run_playbook', toolResult('probe', 'It is the cart.')),
      took('run_playbook'),
      asks('execution', 'It failed.', system('Read.'), user('its outcome')),
      took('get_alerts'),
      asks('verification', 'give_verdict', system('Verify.'), user('seen')),
      asks('coordinator', 'submit', toolResult('run_playbook', 'Not healthy.')),
      took('submit'),
    ]
    expect(talksOf(...parts)).toEqual([
      [
        ...['a.1.1/coordinator-1', 'system: Decide.', 'human: cart suffers', 'gpt: probe'],
        ...['tool: It is the cart.', 'gpt: run_playbook', 'tool: Not healthy.'],
        ...['gpt: submit', 'tool: submit was done'],
      ],
      ['a.1.1/probe-1', 'system: Look.', 'human: Why?', 'gpt: get_logs', 'tool: lines', 'gpt: report'],
      ['a.1.1/execution-1', 'system: Read.', 'human: its outcome', 'gpt: It failed.'],
      ['a.1.1/verification-1', 'system: Verify.', 'human: seen', 'gpt: give_verdict'],
    ])
    const all = toShareGpt(toTrajectory(exampleRecord(...parts)), 'a.1.1')
    expect(all.map(({ metadata }) => metadata)).toMatchObject(
      ['coordinator', 'probe', 'execution', 'verification'].map((role) => ({ role, outcome: 'resolved' })),
    )
  })

  it('starts a conversation only where a role does', () => {
    expect(
      talksOf(
        begins('probe', 'I saw nothing.', system('Look.'), user('Why?')),
        asks('probe', 'report', user('Call it.')),
        begins('probe', 'report', system('Look.'), user('Why?')),
        begins('probe', 'get_logs', user('And now?')),
        asks('probe', 'report', toolResult('get_logs', 'lines')),
      ),
    ).toEqual([
      [
        ...['a.1.1/probe-1', 'system: Look.', 'human: Why?', 'gpt: I saw nothing.'],
        ...['human: Call it.', 'gpt: report'],
      ],
      ['a.1.1/probe-2', 'system: Look.', 'human: Why?', 'gpt: report'],
      ['a.1.1/probe-3', 'human: And now?', 'gpt: get_logs', 'tool: lines', 'gpt: report'],
    ])
  })
})

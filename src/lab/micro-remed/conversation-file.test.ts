/** Tests of MicroRemed's conversation files. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { exampleAnswer, exampleRecord, exampleResult } from '#lab/testing'
import {
  conversationName,
  countAttempts,
  toConversationFile,
  writeConversation,
} from './conversation-file.ts'

const call = { id: 'c1', name: 'get_logs', input: { service: 'cart' } }
const RECORD = exampleRecord(
  {
    type: 'model-called',
    role: 'solver',
    model: 'openai:x',
    tools: ['get_logs'],
    messages: [
      { role: 'system', content: 'You repair systems.' },
      { role: 'user', content: 'cart is slow' },
    ],
    answer: exampleAnswer({ text: 'Reading logs.', toolCalls: [call] }),
  },
  { type: 'thought-noted', thought: 'Reading logs.' },
  { type: 'step-taken', action: 'get_logs', input: { service: 'cart' }, observation: 'nothing' },
  {
    type: 'model-called',
    role: 'solver',
    model: 'openai:x',
    tools: [],
    messages: [{ role: 'tool', content: 'nothing, as shown', toolCallId: 'c1', toolName: 'get_logs' }],
    answer: exampleAnswer({ text: 'Here is a playbook.' }),
  },
  { type: 'step-taken', action: 'run_playbook', input: { playbook: '- hosts: all' }, observation: 'ok' },
)
const result = exampleResult('a.1.1', { stages: { solve: 6000 } })

it('contains the messages and a few figures', () => {
  const { metadata, conversation } = toConversationFile(result, RECORD)
  expect(metadata).toEqual({
    generated_at: '1970-01-01T00:00:00.000Z',
    final_status: 'success',
    retries: 0,
    token_count: 15,
    remediation_time: 6,
  })
  expect(conversation.map(({ role }) => role)).toEqual([
    ...['system', 'user', 'assistant', 'user', 'assistant', 'assistant', 'user'],
  ])
  expect(conversation[3]!.content).toBe('nothing, as shown')
  expect(metadata).not.toHaveProperty('micro_remed_status')
  const problem = RECORD.find((event) => event.type === 'episode-started')?.problem
  expect(conversationName(problem!, 'cpu-stress', 7)).toBe('cart_cpu-stress_7.json')
})

it.each([
  ['resolved', false, 'success', 'failed'],
  ['unresolved', true, 'failed', 'success'],
] as const)(
  "contains the result of MicroRemed's own check next to the verdict %s",
  (outcome, passes, finalStatus, checkStatus) => {
    const checked = exampleResult('a.1.1', { outcome, passesMicroRemedCheck: passes })
    expect(toConversationFile(checked, RECORD).metadata).toMatchObject({
      final_status: finalStatus,
      micro_remed_status: checkStatus,
    })
  },
)

it('reports a file that cannot be written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'conversations-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const content = toConversationFile(result, RECORD)
  writeConversation(folder, 'a.json', content)
  expect(JSON.parse(readFileSync(join(folder, 'a.json'), 'utf8'))).toEqual(content)
  mkdirSync(join(folder, 'b.json'))
  const expected = {
    code: 'record-lost',
    message: expect.stringContaining('b.json cannot be written: EISDIR'),
  }
  expect(() => writeConversation(folder, 'b.json', content)).toThrow(expect.objectContaining(expected))
})

it('counts the playbooks that were run, but not refused and unapproved ones', () => {
  const vettedPlaybook = (isRefused: boolean) =>
    ({ type: 'playbook-vetted', findings: [], isRefused }) as const
  const step = (action: string) => ({ type: 'step-taken', action, input: {}, observation: '' }) as const
  const tried = [vettedPlaybook(true), step('run_playbook'), vettedPlaybook(false), step('run_playbook')]
  const unapproved = step('run_playbook')
  expect(countAttempts(exampleRecord(...tried, unapproved))).toBe(1)
  expect(countAttempts(exampleRecord(step('run-playbook')))).toBe(1)
  expect(countAttempts(exampleRecord())).toBe(0)
})

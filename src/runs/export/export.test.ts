/** Tests of what is derived from records: trajectories in two forms, results, conversation files. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  attemptsIn,
  conversationName,
  toConversationFile,
  writeConversation,
} from '../micro-remed/conversation-file.ts'
import { experimentSummary } from '../micro-remed/experiment-summary.ts'
import { planEpisodes } from '../play/plan-episodes.ts'
import { recoverResults } from '../play/recover-results.ts'
import { toEpisodeResult } from '../play/to-episode-result.ts'
import { recordPathOf } from '../records/record-path.ts'
import { madeAnswer, madeRecord } from '../testing/made-record.ts'
import { madeManifest, madeResult } from '../testing/made-run.ts'
import { toAtif } from './to-atif.ts'
import { toShareGpt } from './to-share-gpt.ts'
import { toTrajectory } from './to-trajectory.ts'

const call = { id: 'c1', name: 'get_logs', input: { service: 'cart' } }

const WITH_MODEL = madeRecord(
  {
    type: 'model-called',
    role: 'solver',
    model: 'openai:x',
    tools: ['get_logs'],
    messages: [
      { role: 'system', content: 'You mend.' },
      { role: 'user', content: 'cart suffers' },
    ],
    answer: madeAnswer({ text: 'I look.', toolCalls: [call], costUsd: 0.01 }),
  },
  { type: 'thought-noted', thought: 'I look.' },
  { type: 'step-taken', action: 'get_logs', input: { service: 'cart' }, observation: 'nothing' },
  {
    type: 'model-called',
    role: 'solver',
    model: 'openai:x',
    tools: [],
    messages: [{ role: 'tool', content: 'nothing, as told', toolCallId: 'c1', toolName: 'get_logs' }],
    answer: madeAnswer({
      text: 'Here is a playbook.',
      costUsd: 0.02,
      usage: { input: 150, output: 40, cachedInput: 90 },
    }),
  },
  // Not asked for as a tool: the agent takes it from the text.
  { type: 'step-taken', action: 'run_playbook', input: { playbook: '- hosts: all' }, observation: 'ok' },
)

const WITHOUT_MODEL = madeRecord(
  { type: 'thought-noted', thought: 'A pod is sick.' },
  { type: 'step-taken', action: 'get_objects', input: { kind: 'Pod' }, observation: 'one pod' },
  { type: 'thought-noted', thought: 'Done.' },
)

describe('a trajectory', () => {
  it('joins what a model asked for with what came of it, and keeps what the agent did by itself', () => {
    const { steps } = toTrajectory(WITH_MODEL)
    expect(
      steps.map(({ source, text, calls }) => [
        source,
        text,
        calls.map(({ name, observation }) => `${name}: ${observation}`),
      ]),
    ).toEqual([
      ['system', 'You mend.', []],
      ['user', 'cart suffers', []],
      ['agent', 'I look.', ['get_logs: nothing, as told']],
      ['agent', 'Here is a playbook.', []],
      ['agent', '', ['run_playbook: ok']],
    ])
  })

  it('keeps what came of an action where no model was told of it', () => {
    const { steps } = toTrajectory(WITH_MODEL.filter((_, index) => index !== 8))
    expect(steps.flatMap(({ calls }) => calls)[0]).toMatchObject({ name: 'get_logs', observation: 'nothing' })
  })

  it('tells calls of several parts apart, even if they have the same id', () => {
    const asks = (role: string, name: string, ...told: string[]): Parameters<typeof madeRecord>[number] => ({
      type: 'model-called',
      role,
      model: 'ollama:x',
      tools: [],
      messages: told.map((content) => ({ role: 'tool', content, toolCallId: 'text-2-0', toolName: 'any' })),
      answer: madeAnswer({ toolCalls: [{ id: 'text-2-0', name, input: {} }] }),
    })
    const { steps } = toTrajectory(
      madeRecord(
        asks('coordinator', 'probe'),
        asks('probe', 'report'),
        asks('probe', 'get_logs'),
        { type: 'step-taken', action: 'get_logs', input: {}, observation: 'lines' },
        asks('probe', 'report', 'This did not work. lines'),
        asks('coordinator', 'submit', 'It is the cart.'),
      ),
    )
    const found = steps.flatMap(({ calls }) =>
      calls.map(({ name, observation }) => `${name}: ${observation}`),
    )
    expect(found).toEqual([
      ...['probe: It is the cart.', 'report: undefined', 'get_logs: This did not work. lines'],
      ...['report: undefined', 'submit: undefined'],
    ])
  })

  it('gives no call the result of what was done later, for another part', () => {
    const asks = (role: string, ...names: string[]): Parameters<typeof madeRecord>[number] => ({
      type: 'model-called',
      role,
      model: 'ollama:x',
      tools: [],
      messages: [],
      answer: madeAnswer({ toolCalls: names.map((name, index) => ({ id: `c${index}`, name, input: {} })) }),
    })
    const { steps } = toTrajectory(
      madeRecord(
        // The report ends the look: the metrics beside it are never read.
        asks('probe', 'get_metrics', 'report'),
        asks('coordinator', 'execute'),
        { type: 'step-taken', action: 'get_metrics', input: {}, observation: 'after the repair' },
      ),
    )
    expect(steps.flatMap(({ calls }) => calls.map(({ name, observation }) => [name, observation]))).toEqual([
      ...[
        ['get_metrics', undefined],
        ['report', undefined],
        ['execute', undefined],
      ],
      ['get_metrics', 'after the repair'],
    ])
  })

  it('begins with the report where no model is asked, and has thoughts with what they led to', () => {
    const { steps } = toTrajectory(WITHOUT_MODEL)
    expect(steps.map(({ source, text, calls }) => `${source}: ${text} ${calls.length}`)).toEqual([
      'user: cart suffers 0',
      'agent: A pod is sick. 1',
      'agent: Done. 0',
    ])
  })
})

describe('ATIF', () => {
  const contender = { name: 'react openai:x', agent: 'react', models: { solver: 'openai:x' } }
  const document = toAtif(toTrajectory(WITH_MODEL), { session: 'a.1.1', version: '0.1.0', contender }) as {
    steps: {
      step_id: number
      source: string
      tool_calls?: { tool_call_id: string }[]
      observation?: { results: { source_call_id: string }[] }
    }[]
  }

  it('has the fields of the format', () => {
    expect(document).toMatchObject({
      schema_version: 'ATIF-v1.4',
      session_id: 'a.1.1',
      agent: { name: 'react', version: '0.1.0', model_name: 'openai:x' },
      final_metrics: {
        total_prompt_tokens: 250,
        total_completion_tokens: 60,
        total_cached_tokens: 90,
        total_cost_usd: 0.03,
        total_steps: 5,
      },
      extra: { problem: 'a', outcome: 'resolved' },
    })
    const unpriced = toTrajectory(
      WITH_MODEL.map((event) =>
        event.type === 'model-called' ? { ...event, answer: madeAnswer({ text: 'Free?' }) } : event,
      ),
    )
    expect(toAtif(unpriced, { session: 'a.1.1', version: '0.1.0', contender })).not.toHaveProperty(
      'final_metrics.total_cost_usd',
    )
    expect(document.steps[2]).toEqual({
      step_id: 3,
      timestamp: '2026-01-01T00:00:05.000Z',
      source: 'agent',
      message: 'I look.',
      model_name: 'openai:x',
      tool_calls: [{ tool_call_id: 'c1', function_name: 'get_logs', arguments: { service: 'cart' } }],
      observation: { results: [{ source_call_id: 'c1', content: 'nothing, as told' }] },
      metrics: { prompt_tokens: 100, completion_tokens: 20, cost_usd: 0.01 },
      extra: { role: 'solver' },
    })
  })

  it('counts steps from 1, answers only calls of the same step, and lets only agents call', () => {
    for (const [index, { step_id, source, tool_calls = [], observation }] of document.steps.entries()) {
      expect(step_id).toBe(index + 1)
      if (source !== 'agent')
        expect({ tool_calls, observation }).toEqual({ tool_calls: [], observation: undefined })
      const ids = tool_calls.map(({ tool_call_id }) => tool_call_id)
      for (const { source_call_id } of observation?.results ?? []) expect(ids).toContain(source_call_id)
    }
  })
})

describe('ShareGPT', () => {
  it('lets the speakers take turns', () => {
    const [one, ...others] = toShareGpt(toTrajectory(WITH_MODEL), 'a.1.1')
    expect(others).toEqual([])
    expect(one).toMatchObject({ id: 'a.1.1', metadata: { agent: 'expert', role: 'solver', problem: 'a' } })
    const { conversations } = one!
    expect(conversations.map(({ from }) => from)).toEqual(['system', 'human', 'gpt', 'tool', 'gpt', 'tool'])
    expect(conversations[2]!.value).toBe(
      'I look.\n<tool_call>\n{"name":"get_logs","arguments":{"service":"cart"}}\n</tool_call>',
    )
  })

  it('has one conversation of an agent without a model', () => {
    const [one, ...others] = toShareGpt(toTrajectory(WITHOUT_MODEL), 'a.1.1')
    expect(others).toEqual([])
    expect(one!.metadata).not.toHaveProperty('role')
    expect(one!.conversations.map(({ from }) => from)).toEqual(['human', 'gpt', 'tool', 'gpt'])
  })
})

describe('a result', () => {
  const [planned] = planEpisodes(madeManifest())

  it('is what the record says', () => {
    expect(toEpisodeResult(planned!, WITH_MODEL, new Map())).toMatchObject({
      episode: 'a.1.1',
      problem: 'a',
      contender: 'expert',
      outcome: 'resolved',
      suite: 'easy',
      judged: { 'users-served': true },
      stages: { act: 6000, verify: 1000, model: 1000 },
      ended: Date.UTC(2026, 0, 1) + 11_000,
    })
    expect(() => toEpisodeResult(planned!, WITH_MODEL.slice(0, -1), new Map())).toThrow('holds no verdict')
  })

  it('is found in a whole record that nobody has noted, and a broken one is set aside', () => {
    const folder = mkdtempSync(join(tmpdir(), 'recover-'))
    try {
      const plan = planEpisodes(madeManifest({ epochs: 2 }))
      const write = (episode: string, text: string): void =>
        writeFileSync(recordPathOf(folder, episode), text)
      write('a.1.1', WITH_MODEL.map((event) => `${JSON.stringify(event)}\n`).join(''))
      write('b.1.1', '{"at":0')
      expect(recoverResults(folder, plan, new Map())).toMatchObject([
        { episode: 'a.1.1', outcome: 'resolved', tries: 1 },
      ])
      expect(readdirSync(folder)).toEqual(['a.1.1.jsonl', 'b.1.1.jsonl.unreadable'])
      write('b.1.1', 'torn')
      recoverResults(folder, plan, new Map())
      expect(readdirSync(folder)).toContain('b.1.1.jsonl.unreadable-2')
      expect(readFileSync(join(folder, 'b.1.1.jsonl.unreadable'), 'utf8')).toBe('{"at":0')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe("MicroRemed's files", () => {
  const result = madeResult('a.1.1', { stages: { act: 6000 } })

  it('hold the conversation and its figures', () => {
    const { metadata, conversation } = toConversationFile(result, WITH_MODEL)
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
    expect(conversation[3]!.content).toBe('nothing, as told')
    const problem = WITH_MODEL.find((event) => event.type === 'episode-began')?.problem
    expect(conversationName(problem!, 'cpu-stress', 7)).toBe('cart_cpu-stress_7.json')
  })

  it('say so where they cannot be written', () => {
    const folder = mkdtempSync(join(tmpdir(), 'conversations-'))
    try {
      const content = toConversationFile(result, WITH_MODEL)
      writeConversation(folder, 'a.json', content)
      expect(JSON.parse(readFileSync(join(folder, 'a.json'), 'utf8'))).toEqual(content)
      mkdirSync(join(folder, 'b.json'))
      const lost = {
        code: 'record-lost',
        message: expect.stringContaining('b.json cannot be written: EISDIR'),
      }
      expect(() => writeConversation(folder, 'b.json', content)).toThrow(expect.objectContaining(lost))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('count the playbooks that were run, and none that was refused', () => {
    const vetted = (isRefused: boolean) => ({ type: 'playbook-vetted', findings: [], isRefused }) as const
    const step = (action: string) => ({ type: 'step-taken', action, input: {}, observation: '' }) as const
    const tried = [vetted(true), step('run_playbook'), vetted(false), step('run_playbook')]
    const unapproved = step('run_playbook')
    expect(attemptsIn(madeRecord(...tried, unapproved))).toBe(1)
    expect(attemptsIn(madeRecord(step('run-playbook')))).toBe(1)
    expect(attemptsIn(madeRecord())).toBe(0)
  })

  it('end with a summary of what was injected', () => {
    const text = experimentSummary([
      { result, attempts: 2 },
      { result: madeResult('b.1.1', { outcome: 'unresolved', categories: ['disk-io'] }), attempts: 1 },
      ...(['environment', 'provider', 'harness', 'provider'] as const).map((blame, index) => ({
        result: madeResult(`c.1.${index}`, {
          outcome: 'void',
          categories: ['disk-io'],
          blame,
          code: index === 0 ? 'not-felt' : 'model-failed',
        }),
        attempts: 0,
      })),
    ])
    expect(text.split('\n')).toEqual([
      ...[
        'Total experiments: 6',
        'Injection failures: 1',
        'Not judged by the fault of others: 3 (harness 1, provider 2)',
        'Successful remediations: 1',
        'Success rate: 50.00%',
      ],
      ...['Average attempts per success: 2.00', 'Average remediation time (successes): 6.00 s'],
      ...[
        'Average tokens (successes): 15',
        'Average remediation time (all): 3.00 s',
        'Average tokens (all): 15',
      ],
      ...['Success by failure type:', '  cpu-stress: 1/1', '  disk-io: 0/1'],
    ])
  })
})

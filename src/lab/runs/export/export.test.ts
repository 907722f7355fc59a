/** Tests of trajectories and results that are derived from records. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recordPathOf } from '#lab/records'
import { exampleAnswer, exampleManifest, exampleRecord } from '#lab/testing'
import type { EpisodeEvent } from '#spec'
import { planEpisodes } from '../play/plan-episodes.ts'
import { recoverResults } from '../play/recover-results.ts'
import { toEpisodeResult } from '../play/to-episode-result.ts'
import { toAtif } from './to-atif.ts'
import { toTrajectory } from './to-trajectory.ts'

const call = { id: 'c1', name: 'get_logs', input: { service: 'cart' } }

const SCHEMA = { type: 'object', properties: { service: { type: 'string' } } }
const EXTERNAL = { name: 'external', agent: 'external', models: {} }

const WITH_MODEL = exampleRecord(
  {
    type: 'model-called',
    role: 'solver',
    model: 'openai:x',
    tools: ['get_logs'],
    toolDefinitions: [{ name: 'get_logs', about: 'reads logs', input: SCHEMA }],
    sampling: { temperature: 0.5, reasoning: 'low' },
    messages: [
      { role: 'system', content: 'You repair systems.' },
      { role: 'user', content: 'cart suffers' },
    ],
    answer: exampleAnswer({
      text: 'Reading logs.',
      reasoning: 'Logs first.',
      toolCalls: [call],
      costUsd: 0.01,
    }),
  },
  { type: 'thought-noted', thought: 'Reading logs.' },
  { type: 'step-taken', action: 'get_logs', input: { service: 'cart' }, observation: 'nothing' },
  {
    type: 'model-called',
    role: 'solver',
    model: 'openai:x',
    tools: [],
    messages: [{ role: 'tool', content: 'nothing, as shown', toolCallId: 'c1', toolName: 'get_logs' }],
    answer: exampleAnswer({
      text: 'Here is a playbook.',
      costUsd: 0.02,
      usage: { input: 150, output: 40, cachedInput: 90 },
    }),
  },
  // Not a tool call: the agent extracts it from the text.
  { type: 'step-taken', action: 'run_playbook', input: { playbook: '- hosts: all' }, observation: 'ok' },
)

const WITHOUT_MODEL = exampleRecord(
  { type: 'thought-noted', thought: 'A pod is sick.' },
  { type: 'step-taken', action: 'get_objects', input: { kind: 'Pod' }, observation: 'one pod' },
  { type: 'thought-noted', thought: 'Done.' },
)

describe('a trajectory', () => {
  it('joins calls of a model with their observations, and keeps other actions of the agent', () => {
    const { steps } = toTrajectory(WITH_MODEL)
    expect(
      steps.map(({ source, text, calls }) => [
        source,
        text,
        calls.map(({ name, observation }) => `${name}: ${observation}`),
      ]),
    ).toEqual([
      ['system', 'You repair systems.', []],
      ['user', 'cart suffers', []],
      ['agent', 'Reading logs.', ['get_logs: nothing, as shown']],
      ['agent', 'Here is a playbook.', []],
      ['agent', '', ['run_playbook: ok']],
    ])
  })

  it('keeps the observation of an action that the model did not get', () => {
    const { steps } = toTrajectory(WITH_MODEL.filter((_, index) => index !== 8))
    expect(steps.flatMap(({ calls }) => calls)[0]).toMatchObject({ name: 'get_logs', observation: 'nothing' })
  })

  it('distinguishes calls of several roles with the same id', () => {
    const modelCall = (
      role: string,
      name: string,
      ...results: string[]
    ): Parameters<typeof exampleRecord>[number] => ({
      type: 'model-called',
      role,
      model: 'ollama:x',
      tools: [],
      messages: results.map((content) => ({
        role: 'tool',
        content,
        toolCallId: 'text-2-0',
        toolName: 'any',
      })),
      answer: exampleAnswer({ toolCalls: [{ id: 'text-2-0', name, input: {} }] }),
    })
    const { steps } = toTrajectory(
      exampleRecord(
        modelCall('coordinator', 'probe'),
        modelCall('probe', 'report'),
        modelCall('probe', 'get_logs'),
        { type: 'step-taken', action: 'get_logs', input: {}, observation: 'lines' },
        modelCall('probe', 'report', 'This did not work. lines'),
        modelCall('coordinator', 'submit', 'It is the cart.'),
      ),
    )
    const observations = steps.flatMap(({ calls }) =>
      calls.map(({ name, observation }) => `${name}: ${observation}`),
    )
    expect(observations).toEqual([
      ...['probe: It is the cart.', 'report: undefined', 'get_logs: This did not work. lines'],
      ...['report: undefined', 'submit: undefined'],
    ])
  })

  it('does not give a call the observation of a later action by another role', () => {
    const modelCall = (role: string, ...names: string[]): Parameters<typeof exampleRecord>[number] => ({
      type: 'model-called',
      role,
      model: 'ollama:x',
      tools: [],
      messages: [],
      answer: exampleAnswer({
        toolCalls: names.map((name, index) => ({ id: `c${index}`, name, input: {} })),
      }),
    })
    const { steps } = toTrajectory(
      exampleRecord(
        // The report ends the conversation, so the metrics are never read.
        modelCall('probe', 'get_metrics', 'report'),
        modelCall('coordinator', 'execute'),
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

  it('keeps thoughts that are not part of an answer as separate steps, with their roles', () => {
    const { steps } = toTrajectory(
      exampleRecord(
        {
          type: 'model-called',
          role: 'probe',
          model: 'openai:x',
          tools: [],
          messages: [],
          answer: exampleAnswer({
            text: 'So it is.',
            toolCalls: [{ id: 'c', name: 'report', input: { summary: 'The cart. ' } }],
          }),
        },
        { type: 'thought-noted', role: 'probe', thought: 'So it is.' },
        { type: 'thought-noted', role: 'probe', thought: 'The cart.' },
        { type: 'thought-noted', role: 'probe', thought: 'Done.' },
        { type: 'thought-noted', role: 'coordinator', thought: 'Thanks.' },
      ),
    )
    expect(steps.map(({ role, model, text }) => [role, model, text])).toEqual([
      ['probe', 'openai:x', 'So it is.'],
      ['probe', undefined, 'Done.'],
      ['coordinator', undefined, 'Thanks.'],
    ])
  })

  it('marks steps whose text was shortened, also in older records', () => {
    const omission = 'x\n(90 characters omitted)'
    const { steps } = toTrajectory(
      exampleRecord(
        { type: 'step-taken', action: 'a', input: {}, observation: 'x', isClipped: true },
        { type: 'step-taken', action: 'b', input: {}, observation: omission },
        { type: 'step-taken', action: 'c', input: {}, observation: 'x' },
      ),
    )
    expect(steps.slice(2).map(({ isClipped }) => isClipped)).toEqual([true, true, undefined])
  })

  it('starts with the task if there is no model, and joins thoughts with the next action', () => {
    const { steps } = toTrajectory(WITHOUT_MODEL)
    expect(steps[0]!.text).toContain('You are the on-call engineer')
    expect(steps[1]!.text).toMatch(/The system "shop"[\s\S]*Your task: Repair[\s\S]*cart suffers/)
    expect(steps.slice(2).map(({ source, text, calls }) => `${source}: ${text} ${calls.length}`)).toEqual([
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
      schema_version: 'ATIF-v1.8',
      session_id: 'a.1.1',
      agent: {
        name: 'react',
        version: '0.1.0',
        model_name: 'openai:x',
        tool_definitions: [
          { type: 'function', function: { name: 'get_logs', description: 'reads logs', parameters: SCHEMA } },
        ],
      },
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
        event.type === 'model-called' ? { ...event, answer: exampleAnswer({ text: 'Free?' }) } : event,
      ),
    )
    expect(toAtif(unpriced, { session: 'a.1.1', version: '0.1.0', contender })).not.toHaveProperty(
      'final_metrics.total_cost_usd',
    )
    expect(document.steps[2]).toEqual({
      step_id: 3,
      timestamp: '2026-01-01T00:00:05.000Z',
      source: 'agent',
      message: 'Reading logs.',
      model_name: 'openai:x',
      tool_calls: [{ tool_call_id: 'c1', function_name: 'get_logs', arguments: { service: 'cart' } }],
      observation: { results: [{ source_call_id: 'c1', content: 'nothing, as shown' }] },
      metrics: { prompt_tokens: 100, completion_tokens: 20, cost_usd: 0.01 },
      reasoning_effort: 'low',
      reasoning_content: 'Logs first.',
      llm_call_count: 1,
      extra: {
        role: 'solver',
        conversation: 1,
        sampling: { temperature: 0.5, reasoning: 'low' },
        finish: 'stop',
      },
    })
    expect(document.steps[4]).toMatchObject({ tool_calls: [{ tool_call_id: 'action-1' }], llm_call_count: 0 })
    const external = toAtif(toTrajectory(WITHOUT_MODEL), { session: 'a', version: '1', contender: EXTERNAL })
    expect(JSON.stringify(external)).not.toContain('llm_call_count')
  })

  it('numbers steps from 1; observations refer to calls of the same step; only agents have calls', () => {
    for (const [index, { step_id, source, tool_calls = [], observation }] of document.steps.entries()) {
      expect(step_id).toBe(index + 1)
      if (source !== 'agent')
        expect({ tool_calls, observation }).toEqual({ tool_calls: [], observation: undefined })
      const ids = tool_calls.map(({ tool_call_id }) => tool_call_id)
      for (const { source_call_id } of observation?.results ?? []) expect(ids).toContain(source_call_id)
    }
  })
})

describe('a result', () => {
  const [planned] = planEpisodes(exampleManifest())

  it('is derived from the record', () => {
    expect(toEpisodeResult(planned!, WITH_MODEL, new Map())).toMatchObject({
      episode: 'a.1.1',
      problem: 'a',
      contender: 'expert',
      outcome: 'resolved',
      suite: 'easy',
      judged: { 'users-served': true },
      stages: { solve: 6000, verify: 1000, model: 1000 },
      ended: Date.UTC(2026, 0, 1) + 11_000,
    })
    expect(() => toEpisodeResult(planned!, WITH_MODEL.slice(0, -1), new Map())).toThrow('has no verdict')
  })

  it("has the result of MicroRemed's own check, if the record has one", () => {
    const withCheck = (holds: boolean): EpisodeEvent[] => [
      ...WITH_MODEL,
      { at: 99_000, type: 'micro-remed-checked', holds, evidence: 'e' },
    ]
    const plain = toEpisodeResult(planned!, WITH_MODEL, new Map())
    expect(plain).not.toHaveProperty('passesMicroRemedCheck')
    for (const holds of [true, false])
      expect(toEpisodeResult(planned!, withCheck(holds), new Map())).toEqual({
        ...plain,
        passesMicroRemedCheck: holds,
      })
  })

  it('is recovered from a complete record; a broken record is renamed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'recover-'))
    try {
      const plan = planEpisodes(exampleManifest({ epochs: 2 }))
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

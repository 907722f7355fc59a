/** Tests that records are condensed without losing important events. */
import { describe, expect, it } from 'vitest'
import type { EpisodeEvent } from '#spec'
import { exampleRecord, exampleVerdict } from '../testing/example-record.ts'
import { condenseRecord } from './condense-record.ts'

const condense = (more: readonly EpisodeEvent[] = [], maxTextCharacters = 1000) =>
  condenseRecord(exampleRecord(more), maxTextCharacters)

const step = (at: number, action: string, input: unknown, observation = 'done'): EpisodeEvent => ({
  at,
  type: 'step-taken',
  action,
  input,
  observation,
})

describe('a condensed record', () => {
  it('has the stages, the load over time and the outcome of each journey', () => {
    const story = condense()
    expect(story).toMatchObject({
      length: 8000,
      report: 'root cause: cart',
      solver: { from: 2000, to: 6000 },
      baselineP50: 50,
      cuts: 0,
      faults: [{ at: 1000, fault: 'port-wrong', target: { service: 'cart' } }],
      journeys: [{ journey: 'buy', baselineP50: 50, runs: 1, failed: 1 }],
      // Resolved four seconds after the start of the solver.
      window: { from: 6000, to: 8000 },
    })
    expect(story.load.slice).toBe(250)
    expect([story.load.served[1], story.load.failed[6], story.load.p50[6], story.load.p50[7]]).toEqual([
      1,
      1,
      300,
      null,
    ])
    expect(story.load.served.length).toBe(32)
  })

  it("ends with the verdict, not with MicroRemed's check after it", () => {
    expect(condense([{ at: 90_000, type: 'micro-remed-checked', holds: true, evidence: 'e' }])).toEqual(
      condense(),
    )
  })

  it('has a window from the end of the solver if the episode is unresolved', () => {
    const events = exampleRecord().filter(({ type }) => type !== 'verdict-given')
    const verdict = exampleVerdict({ outcome: 'unresolved' })
    expect(condenseRecord([...events, { at: 9000, type: 'verdict-given', verdict }], 100).window).toEqual({
      from: 6000,
      to: 9000,
    })
    expect(condenseRecord(events, 100).window).toBeUndefined()
  })

  it('joins the events of a playbook into one entry', () => {
    const { entries } = condense([
      { at: 2500, type: 'thought-noted', role: 'probe', thought: 'hm' },
      { at: 3000, type: 'playbook-vetted', findings: ['no check'], isRefused: false },
      { at: 3500, type: 'task-ended', play: 'p', task: 'Repair', outcome: 'changed' },
      { at: 3600, type: 'task-ended', play: 'p', task: 'Wait', outcome: 'failed', message: 'late' },
      step(4000, 'run_playbook', { playbook: '- hosts: all' }, 'PLAY'),
      { at: 4100, type: 'playbook-rolled-back', objects: ['Deployment/cart'] },
      step(5000, 'run-playbook', '- hosts: b'),
      step(5500, 'get_alerts', { all: true }, 'none'),
    ])
    expect(entries).toEqual([
      { at: 2500, kind: 'thought', role: 'probe', text: 'hm' },
      {
        at: 4000,
        kind: 'playbook',
        took: 1000,
        playbook: '- hosts: all',
        output: 'PLAY',
        isRefused: false,
        hasRun: true,
        findings: ['no check'],
        rolledBack: ['Deployment/cart'],
        tasks: [
          { task: 'Repair', outcome: 'changed' },
          { task: 'Wait', outcome: 'failed', message: 'late' },
        ],
      },
      {
        at: 5000,
        kind: 'playbook',
        took: 900,
        playbook: '- hosts: b',
        output: 'done',
        isRefused: false,
        hasRun: true,
        findings: [],
        tasks: [],
      },
      {
        at: 5500,
        kind: 'action',
        took: 500,
        action: 'get_alerts',
        input: '{"all":true}',
        observation: 'none',
      },
      { at: 6000, kind: 'ended', outcome: 'submitted' },
    ])
  })

  it('distinguishes playbooks that ran from those that did not', () => {
    const { entries } = condense([
      { at: 2500, type: 'playbook-vetted', findings: [], isRefused: false },
      step(3000, 'run_playbook', { playbook: 'ran' }),
      // Denied by the operator or the policy, or invalid input: not vetted.
      step(3500, 'run_playbook', { playbook: 'unapproved' }),
      { at: 3600, type: 'playbook-vetted', findings: ['no'], isRefused: true },
      step(4000, 'run_playbook', { playbook: 'refused' }),
      step(4500, 'run-playbook', 'of the laboratory'),
    ])
    expect(
      entries.flatMap((entry) =>
        entry.kind === 'playbook' ? [[entry.playbook, entry.hasRun, entry.isRefused]] : [],
      ),
    ).toEqual([
      ['ran', true, false],
      ['unapproved', false, false],
      ['refused', false, true],
      ['of the laboratory', true, false],
    ])
  })

  it('keeps a rollback that is recorded before its step', () => {
    const { entries } = condense([
      { at: 3400, type: 'playbook-vetted', findings: [], isRefused: false },
      { at: 3500, type: 'task-ended', play: 'p', task: 'Repair', outcome: 'failed' },
      { at: 3600, type: 'playbook-rolled-back', objects: ['Service/cart'] },
      step(4000, 'run_playbook', { playbook: 'x' }),
    ])
    expect(entries[0]).toMatchObject({ kind: 'playbook', rolledBack: ['Service/cart'] })
  })

  it('has the calls of models with their costs', () => {
    const answer = {
      text: 'look',
      toolCalls: [{ id: '1', name: 'get_alerts', input: { all: true } }],
      finish: 'stop' as const,
      usage: { input: 9, output: 2 },
      costUsd: 0.01,
      tries: 2,
      milliseconds: 400,
    }
    const { entries } = condense([
      {
        at: 3000,
        type: 'model-called',
        role: 'solver',
        model: 'a:b',
        tools: [],
        answer,
        messages: [{ role: 'user', content: 'hi' }],
      },
    ])
    expect(entries[0]).toEqual({
      at: 3000,
      kind: 'model-call',
      took: 400,
      role: 'solver',
      model: 'a:b',
      answer: 'look',
      finish: 'stop',
      messages: [{ role: 'user', text: 'hi' }],
      calls: ['get_alerts {"all":true}'],
      tries: 2,
      costUsd: 0.01,
      tokens: { input: 9, output: 2 },
    })
  })

  it('shortens long strings in the middle, and marks the cut', () => {
    const story = condense([step(3000, 'get_logs', {}, `begin${'x'.repeat(5000)}end`)], 100)
    const [entry] = story.entries
    expect(entry).toMatchObject({ kind: 'action' })
    const text = entry?.kind === 'action' ? entry.observation : ''
    expect(text).toMatch(/^beginx+\n… 4908 characters omitted …\nx+end$/)
    expect(story.cuts).toBe(1)
  })

  it('keeps the start and the end of a long episode', () => {
    const steps = Array.from({ length: 500 }, (_, index) => step(2000 + index, 'get_logs', {}, String(index)))
    const { entries, cuts } = condense(steps)
    expect(entries).toHaveLength(400)
    expect(entries[0]).toMatchObject({ observation: '0' })
    expect(entries.at(-2)).toMatchObject({ observation: '499' })
    expect(entries.at(-1)).toMatchObject({ kind: 'ended' })
    expect(cuts).toBe(1)
  })

  it('removes terminal colours', () => {
    const [entry] = condense([step(3000, 'exec_shell', {}, '\u001b[0;32mok\u001b[0m')]).entries
    expect(entry).toMatchObject({ observation: 'ok' })
  })

  it('has the last state of each alert, in the time of the record', () => {
    const alert = { name: 'Burn', severity: 'page' as const, labels: { journey: 'buy' }, raised: 1_003_000 }
    const { alerts } = condense([
      { at: 3500, type: 'alerts-observed', alerts: [{ ...alert, summary: '1 of 2' }] },
      { at: 5000, type: 'alerts-observed', alerts: [{ ...alert, summary: '3 of 4', cleared: 1_004_500 }] },
    ])
    expect(alerts).toEqual([{ name: 'Burn buy', about: '3 of 4', severity: 'page', from: 3000, to: 4500 }])
  })

  it('counts changes of objects since the start of the solver', () => {
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'cart-1' } }
    const objectChanged = (at: number, change: 'added' | 'modified' | 'deleted'): EpisodeEvent => ({
      at,
      type: 'object-changed',
      change,
      object,
    })
    expect(
      condense([
        objectChanged(1500, 'added'),
        objectChanged(2500, 'modified'),
        objectChanged(2600, 'modified'),
      ]).changes,
    ).toEqual([{ object: 'Pod/cart-1', added: 0, modified: 2, deleted: 0 }])
  })
})

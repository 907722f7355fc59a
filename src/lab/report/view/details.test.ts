/** Tests the details of an episode without a browser. */
import { describe, expect, it } from 'vitest'
import type { EpisodeEvent } from '#spec'
import { condenseRecord } from '../condense/condense-record.ts'
import { exampleRecord, exampleResult } from '../testing/example-record.ts'
import { detailsHtml } from './details.ts'
import type { EpisodeDetails } from './story.ts'

const HOSTILE = '"><script>alert(1)</script>'

const detailsOf = (changes: Partial<EpisodeDetails> = {}): EpisodeDetails => ({
  result: exampleResult(),
  answerMeasures: [['Detected after', '2 s']],
  record: 'records/e1.jsonl',
  story: condenseRecord(exampleRecord(), 500),
  ...changes,
})

/** Whether every opening tag has a matching closing tag. */
const isBalanced = (text: string): boolean => {
  const open: string[] = []
  for (const [, slash, name, end] of text.matchAll(/<(\/?)([a-z]\w*)[^>]*?(\/?)>/g)) {
    if (end === '/') continue
    if (slash === '') open.push(name!)
    else if (open.pop() !== name) return false
  }
  return open.length === 0
}

describe('the details of an episode', () => {
  it('show the number of writes to the API if writes were audited', () => {
    const result = exampleResult()
    const audited = { ...result, metrics: { ...result.metrics, writes: 26 } }
    expect(detailsHtml(detailsOf({ result: audited }), 900).text).toMatch(/Writes to the API.{0,40}26/s)
    expect(detailsHtml(detailsOf(), 900).text).not.toContain('Writes to the API')
  })

  it('show the timeline, the story, the judgements and the measures', () => {
    const { text } = detailsHtml(detailsOf(), 900)
    expect(isBalanced(text)).toBe(true)
    for (const part of [
      '<svg class="timeline"',
      'root cause: cart',
      'Users are served',
      '40 of 40 runs',
      '3 of 20',
      '10 of 40',
      'Detected after',
    ])
      expect(text).toContain(part)
    expect(text).toContain(
      'aria-label="Timeline of 8.0\u00a0s, port-wrong in cart at 0:01.0, solver from 0:02.0 to 0:06.0, 0 alerts"',
    )
    expect(text).not.toMatch(/NaN|Infinity|undefined/)
  })

  it('distinguish judgements that were not measured from those that do not hold', () => {
    const story = condenseRecord(exampleRecord(), 500)
    const judgements = [
      { oracle: 'users-served', holds: null, evidence: 'too few runs' },
      { oracle: 'cause-gone', holds: false, evidence: 'it is there' },
    ] as const
    const { text } = detailsHtml(detailsOf({ story: { ...story, judgements } }), 900)
    expect(text).toContain(
      '<li class="unmeasured"><b>Users are served</b><span class="quiet">: not measured</span><p>too few runs</p></li>',
    )
    expect(text).toContain(
      '<li class="fails"><b>The cause is gone</b><span class="unseen">: no</span><p>it is there</p></li>',
    )
  })

  it('escape every text', () => {
    const story = condenseRecord(
      exampleRecord([
        { at: 2100, type: 'thought-noted', role: HOSTILE, thought: HOSTILE },
        { at: 2200, type: 'playbook-vetted', findings: [HOSTILE], isRefused: true },
        { at: 2300, type: 'task-ended', play: HOSTILE, task: HOSTILE, outcome: 'failed', message: HOSTILE },
        {
          at: 2400,
          type: 'step-taken',
          action: 'run_playbook',
          input: { playbook: HOSTILE },
          observation: HOSTILE,
        },
        { at: 2500, type: 'step-taken', action: HOSTILE, input: HOSTILE, observation: HOSTILE },
        { at: 2600, type: 'answers-given', answers: { services: [HOSTILE] } },
        { at: 2700, type: 'harness-failed', code: HOSTILE, message: HOSTILE, blame: 'harness' },
        {
          at: 2800,
          type: 'alerts-observed',
          alerts: [
            { name: HOSTILE, severity: 'page', labels: { a: HOSTILE }, summary: HOSTILE, raised: 1_001_000 },
          ],
        },
      ]),
      500,
    )
    const { text } = detailsHtml(detailsOf({ story, missing: HOSTILE, record: HOSTILE }), 900)
    expect(text).not.toContain('<script')
    expect(text).not.toContain('"">')
    expect(isBalanced(text)).toBe(true)
  })

  it('show whether a playbook ran', () => {
    const vettedPlaybook = (isRefused: boolean): EpisodeEvent => ({
      at: 2500,
      type: 'playbook-vetted',
      findings: [],
      isRefused,
    })
    const playbookStep: EpisodeEvent = {
      at: 3000,
      type: 'step-taken',
      action: 'run_playbook',
      input: { playbook: 'x' },
      observation: '',
    }
    const textOf = (...events: EpisodeEvent[]): string =>
      detailsHtml(detailsOf({ story: condenseRecord(exampleRecord(events), 500) }), 900).text
    const ran = textOf(vettedPlaybook(false), playbookStep)
    expect(ran).toContain('Ran a <b>playbook</b>')
    expect(ran).toContain('<rect class="mark playbook"')
    for (const [text, label] of [
      [textOf(vettedPlaybook(true), playbookStep), 'refused'],
      [textOf(playbookStep), 'not run'],
    ] as const) {
      expect(text).toContain('Requested a <b>playbook</b>')
      expect(text).toContain(`<span class="chip failed">${label}</span>`)
      expect(text).toMatch(new RegExp(`<rect class="mark refused"[^>]*><title>[^<]*, ${label}</title>`))
      expect(text).not.toContain('Ran a')
      expect(text).not.toContain('class="mark playbook"')
    }
  })

  it('work for a record with one event', () => {
    const story = condenseRecord(exampleRecord().slice(0, 1), 500)
    const { text } = detailsHtml(detailsOf({ story }), 300)
    expect(text).not.toMatch(/NaN|Infinity|undefined/)
  })

  it('explain why there is no story', () => {
    const { story: _, ...rest } = detailsOf({ missing: 'The record cannot be read: gone' })
    const { text } = detailsHtml(rest, 900)
    expect(text).toContain('The record cannot be read: gone')
    expect(text).not.toContain('<svg')
  })
})

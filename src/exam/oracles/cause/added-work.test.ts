/** Tests of Jobs and pods that a solver adds: the verdict waits for them, and one that never ends is damage. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, Fault } from '#spec'
import { type Assessment, assess } from '../assess.ts'
import {
  plain,
  podFault,
  prepareRecord,
  problem,
  type RecordBuilder,
  SHOP,
} from '../testing/record-builder.ts'
import { createEpisodeView } from '../view/create-episode-view.ts'

const END = { type: 'solver-ended', outcome: 'submitted' } as const
const JOB = plain('batch/v1', 'Job', 'repair', { spec: {} })
const FINISHED_JOB = { ...JOB, status: { conditions: [{ type: 'Complete', status: 'True' }] } }
const POD = plain('v1', 'Pod', 'helper', { spec: {}, status: { phase: 'Running' } })
const FINISHED_POD = { ...POD, status: { phase: 'Succeeded' } }

const assessRecord = ({ events }: RecordBuilder, fault: Partial<Fault> = {}): Assessment => {
  const view = createEpisodeView(SHOP, new Map([['sick-pod', podFault(fault)]]))
  for (const event of events) view.add(event)
  return assess(view)
}

describe.each<[string, ApiObject, ApiObject]>([
  ['a Job', JOB, FINISHED_JOB],
  ['a pod', POD, FINISHED_POD],
])('%s that the solver has added', (_, unfinished, finished) => {
  const repairedRecord = () => prepareRecord().add(unfinished).replacePod('cart').after(100, END)

  it('delays the verdict: users must be served after it has ended', () => {
    const record = repairedRecord().runJourneys(5000, {})
    expect(assessRecord(record)).toMatchObject({ state: 'undecided', verdict: { damage: [] } })
    expect(assessRecord(record.change(finished).runJourneys(1000, {})).state).toBe('undecided')
    expect(assessRecord(record.runJourneys(1500, {})).state).toBe('resolved')
  })

  it('can be deleted after its end without a further delay', () => {
    const record = repairedRecord()
      .runJourneys(1000, {})
      .change(finished)
      .runJourneys(1500, {})
      .remove(finished)
      .runJourneys(1000, {})
    expect(assessRecord(record).state).toBe('resolved')
  })

  it('is damage if it never ends', () => {
    const object = `${unfinished.kind}/${unfinished.metadata.name}`
    expect(assessRecord(repairedRecord().runJourneys(29_000, {})).state).toBe('undecided')
    expect(assessRecord(repairedRecord().runJourneys(31_000, {}))).toMatchObject({
      state: 'unresolved',
      verdict: {
        reason: `something else was broken or changed: ${object} was added and not removed`,
        damage: [{ object, what: 'was added and not removed' }],
      },
    })
  })

  it('delays the verdict for a limited time, because it may still remove the cause', () => {
    const record = () => prepareRecord().add(unfinished).after(100, END)
    expect(assessRecord(record().runJourneys(10_000, { slow: 5 })).state).toBe('undecided')
    expect(
      assessRecord(
        record().runJourneys(10_000, { slow: 5 }).replacePod('cart').change(finished).runJourneys(3000, {}),
      ).state,
    ).toBe('resolved')
    expect(assessRecord(record().runJourneys(31_000, { slow: 5 })).state).toBe('unresolved')
  })

  it('delays the verdict on a cause outside pods, too', () => {
    const templateCause = { isGone: () => ({ holds: false, evidence: 'unchanged' }) }
    const record = prepareRecord().add(unfinished).after(100, END).runJourneys(2000, { slow: 5 })
    expect(assessRecord(record, templateCause).state).toBe('undecided')
    expect(assessRecord(record.change(finished), templateCause).state).toBe('unresolved')
  })

  it('is followed by a probe before the verdict on the cause', () => {
    const probedCause: Partial<Fault> = {
      probe: async () => ({}),
      isGone: ({ facts }) => ({ holds: facts.left === 0, evidence: `${facts.left} left` }),
    }
    const probeEvent = (left: number) => ({ type: 'cause-probed', index: 0, facts: { left } }) as const
    const record = prepareRecord()
      .add(unfinished)
      .after(100, END)
      .runJourneys(5000, {})
      .after(1, probeEvent(80))
      .change(finished)
    expect(assessRecord(record.runJourneys(1000, {}), probedCause).state).toBe('undecided')
    expect(assessRecord(record.runJourneys(1500, {}).after(1, probeEvent(0)), probedCause).state).toBe(
      'resolved',
    )
  })

  it('is damage at once in a task that asks only for answers', () => {
    const detection = problem({ task: 'detection' })
    const record = prepareRecord(detection)
      .add(unfinished)
      .after(1, { type: 'answers-given', answers: { detected: true } })
    expect(assessRecord(record.after(100, END))).toMatchObject({
      state: 'unresolved',
      verdict: { damage: [{ object: `${unfinished.kind}/${unfinished.metadata.name}` }] },
    })
  })
})

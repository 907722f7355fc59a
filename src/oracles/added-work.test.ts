/** Jobs and pods that the act has added: they are waited for, whoever waits for them gains nothing, and one that never ends is damage. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, Fault } from '../spec/index.ts'
import { type Assessment, assess } from './assess.ts'
import { createEpisodeView } from './create-episode-view.ts'
import {
  plain,
  podFault,
  prepareRecord,
  problem,
  type RecordBuilder,
  SHOP,
} from './testing/record-builder.ts'

const END = { type: 'solver-ended', outcome: 'submitted' } as const
const JOB = plain('batch/v1', 'Job', 'repair', { spec: {} })
const DONE = { ...JOB, status: { conditions: [{ type: 'Complete', status: 'True' }] } }
const POD = plain('v1', 'Pod', 'helper', { spec: {}, status: { phase: 'Running' } })
const OVER = { ...POD, status: { phase: 'Succeeded' } }

const assessed = ({ events }: RecordBuilder, fault: Partial<Fault> = {}): Assessment => {
  const view = createEpisodeView(SHOP, new Map([['sick-pod', podFault(fault)]]))
  for (const event of events) view.add(event)
  return assess(view)
}

describe.each<[string, ApiObject, ApiObject]>([
  ['a Job', JOB, DONE],
  ['a pod', POD, OVER],
])('%s that the act has added', (_, atWork, done) => {
  const mended = () => prepareRecord().add(atWork).replacePod('cart').after(100, END)

  it('is waited for, and users are asked once it has ended', () => {
    const record = mended().walks(5000, {})
    expect(assessed(record)).toMatchObject({ state: 'undecided', verdict: { damage: [] } })
    expect(assessed(record.change(done).walks(1000, {})).state).toBe('undecided')
    expect(assessed(record.walks(1500, {})).state).toBe('resolved')
  })

  it('may be cleared away after its end, which nobody waits for again', () => {
    const record = mended().walks(1000, {}).change(done).walks(1500, {}).remove(done).walks(1000, {})
    expect(assessed(record).state).toBe('resolved')
  })

  it('is damage where it goes on', () => {
    const object = `${atWork.kind}/${atWork.metadata.name}`
    expect(assessed(mended().walks(29_000, {})).state).toBe('undecided')
    expect(assessed(mended().walks(31_000, {}))).toMatchObject({
      state: 'unresolved',
      verdict: {
        reason: `something else was broken or touched: ${object} was added and left`,
        damage: [{ object, what: 'was added and left' }],
      },
    })
  })

  it('may still take the cause away, but not for ever', () => {
    const record = () => prepareRecord().add(atWork).after(100, END)
    expect(assessed(record().walks(10_000, { slow: 5 })).state).toBe('undecided')
    expect(
      assessed(record().walks(10_000, { slow: 5 }).replacePod('cart').change(done).walks(3000, {})).state,
    ).toBe('resolved')
    expect(assessed(record().walks(31_000, { slow: 5 })).state).toBe('unresolved')
  })

  it('may do so where pods tell nothing of it', () => {
    const inTemplate = { isGone: () => ({ holds: false, evidence: 'as it was' }) }
    const record = prepareRecord().add(atWork).after(100, END).walks(2000, { slow: 5 })
    expect(assessed(record, inTemplate).state).toBe('undecided')
    expect(assessed(record.change(done), inTemplate).state).toBe('unresolved')
  })

  it('is followed by a look for the cause before that is said to be left', () => {
    const probed: Partial<Fault> = {
      probe: async () => ({}),
      isGone: ({ facts }) => ({ holds: facts.left === 0, evidence: `${facts.left} left` }),
    }
    const look = (left: number) => ({ type: 'cause-probed', index: 0, facts: { left } }) as const
    const record = prepareRecord().add(atWork).after(100, END).walks(5000, {}).after(1, look(80)).change(done)
    expect(assessed(record.walks(1000, {}), probed).state).toBe('undecided')
    expect(assessed(record.walks(1500, {}).after(1, look(0)), probed).state).toBe('resolved')
  })

  it('is damage at once where only a question was asked', () => {
    const about = problem({ task: 'detection' })
    const record = prepareRecord(about)
      .add(atWork)
      .after(1, { type: 'answers-given', answers: { detected: true } })
    expect(assessed(record.after(100, END))).toMatchObject({
      state: 'unresolved',
      verdict: { damage: [{ object: `${atWork.kind}/${atWork.metadata.name}` }] },
    })
  })
})

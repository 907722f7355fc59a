/** Tests of the assessment of answers. */
import { describe, expect, it } from 'vitest'
import type { Answers, EpisodeEvent, Problem } from '#spec'
import { type Assessment, assess } from '../assess.ts'
import {
  deployment,
  POD_FAULT,
  podFault,
  prepareRecord,
  problem,
  type RecordBuilder,
  SHOP,
} from '../testing/record-builder.ts'
import { createEpisodeView } from '../view/create-episode-view.ts'

const FAULTS = new Map([['sick-pod', podFault()]])
const END = { type: 'solver-ended', outcome: 'submitted' } as const

const assessEvents = (events: readonly EpisodeEvent[], faults = FAULTS): Assessment => {
  const view = createEpisodeView(SHOP, faults)
  for (const event of events) view.add(event)
  return assess(view)
}
const endSolver = (record: RecordBuilder): RecordBuilder => record.after(100, END)

describe('answers', () => {
  const assessProblem = (
    fields: Partial<Problem>,
    answers: EpisodeEvent & { type: 'answers-given' } extends infer T
      ? Omit<T & { answers: object }, 'at' | 'type'>['answers']
      : never,
  ) =>
    assessEvents(
      endSolver(prepareRecord(problem(fields)).after(50, { type: 'answers-given', answers })).events,
    )

  it.each([
    [{ task: 'detection' }, { detected: true }, 'resolved'],
    [{ task: 'detection' }, { detected: false }, 'unresolved'],
    [{ task: 'detection' }, {}, 'unresolved'],
    [{ task: 'detection', faults: [] }, { detected: false }, 'resolved'],
    [{ task: 'detection', faults: [] }, { detected: true }, 'unresolved'],
    [{ task: 'localisation' }, { services: ['cart', 'stock'] }, 'resolved'],
    [{ task: 'localisation' }, { services: ['stock', 'cart'] }, 'unresolved'],
    [{ task: 'analysis' }, { layer: 'operating-system', type: 'capacity-shortage' }, 'resolved'],
    [{ task: 'analysis' }, { layer: 'operating-system', type: 'code-defect' }, 'unresolved'],
    [{ task: 'analysis' }, { layer: 'operating-system' }, 'unresolved'],
  ] as const)('to the problem %j with the values %j make it %s', (fields, answers, state) => {
    expect(assessProblem(fields, answers).state).toBe(state)
  })

  it('have a time and a rank', () => {
    const { verdict } = assessProblem({ task: 'localisation' }, { services: ['stock', 'front', 'cart'] })
    expect(verdict.metrics).toMatchObject({ timeToLocalise: 50, rank: 3 })
  })

  it('are timed by their last change', () => {
    const answerAfter = (ms: number, answers: Answers) =>
      [ms, { type: 'answers-given', answers } as const] as const
    const record = [
      answerAfter(10, { services: ['stock'], layer: 'network' }),
      answerAfter(10, { services: ['cart'] }),
      answerAfter(30, { services: ['cart'], detected: true }),
    ].reduce(
      (builder, [ms, event]) => builder.after(ms, event),
      prepareRecord(problem({ task: 'localisation' })),
    )
    const { metrics } = assessEvents(endSolver(record).events).verdict
    expect(metrics).toMatchObject({ timeToDetect: 50, timeToLocalise: 20, timeToAnalyse: 10 })
  })

  it('to several faults concern the fault at the service named first, or else the first fault', () => {
    const stockFault = { ...POD_FAULT, fault: 'other', target: { service: 'stock' }, afterMs: 5 }
    const faults = new Map([...FAULTS, ['other', podFault({ layer: 'network', type: 'code-defect' })]])
    const twoFaults = problem({ task: 'analysis', faults: [stockFault, POD_FAULT] })
    const stateAfter = (answers: Answers) =>
      assessEvents(
        endSolver(prepareRecord(twoFaults).after(5, { type: 'answers-given', answers })).events,
        faults,
      ).state
    const [first, second] = [
      { layer: 'operating-system', type: 'capacity-shortage' },
      { layer: 'network', type: 'code-defect' },
    ] as const
    expect(stateAfter(first)).toBe('resolved')
    expect(stateAfter(second)).toBe('unresolved')
    expect(stateAfter({ ...second, services: ['stock', 'cart'] })).toBe('resolved')
    expect(stateAfter({ ...first, services: ['stock', 'cart'] })).toBe('unresolved')
  })

  it('do not resolve the problem if the agent broke something', () => {
    const control = problem({ task: 'detection', faults: [] })
    const record = prepareRecord(control).after(1, { type: 'answers-given', answers: { detected: false } })
    expect(assessEvents(endSolver(record.remove(deployment('stock'))).events)).toMatchObject({
      state: 'unresolved',
      verdict: { reason: expect.stringContaining('Deployment/stock was deleted') },
    })
  })

  it('must all be correct in an end-to-end task, even if the repair is', () => {
    const right = {
      detected: true,
      services: ['cart'],
      layer: 'operating-system',
      type: 'capacity-shortage',
    } as const
    const endToEnd = problem({ task: 'end-to-end' })
    const assessAnswers = (answers: object) =>
      assessEvents(
        endSolver(
          prepareRecord(endToEnd).after(1, { type: 'answers-given', answers }).replacePod('cart'),
        ).runJourneys(3000, {}).events,
      )
    expect(assessAnswers(right).state).toBe('resolved')
    expect(assessAnswers({ ...right, services: ['stock'] })).toMatchObject({
      state: 'unresolved',
      verdict: { reason: 'the localisation is wrong: answered stock; at fault: cart' },
    })
  })
})

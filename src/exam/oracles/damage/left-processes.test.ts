/** Tests which processes in pods are damage: those that a solver started and that never end. */
import { describe, expect, it } from 'vitest'
import { type ContainerProcesses, JUDGING_RULES } from '#spec'
import { assess } from '../assess.ts'
import { podFault, prepareRecord, problem, type RecordBuilder, SHOP } from '../testing/record-builder.ts'
import { createEpisodeView } from '../view/create-episode-view.ts'

type Processes = ContainerProcesses['processes']

const observationEvent = (pod: string, id: string, processes: Processes, name = 'main') =>
  ({ type: 'processes-observed', containers: [{ pod, id, name, processes }] }) as const
const MAIN: Processes = [['node', 0]]
const WITH_SLEEP: Processes = [...MAIN, ['sleep', 2500]]
const END = { type: 'solver-ended', outcome: 'submitted' } as const

/** The record of a correct repair. The container `a` of the pod runs the processes `before` and `after` the solver. */
const repairedRecord = (
  pod: string,
  before: Processes,
  after: Processes,
  { planned = problem(), rules = JUDGING_RULES } = {},
): RecordBuilder => {
  const record = prepareRecord(planned, { rules })
  const started = record.events.findIndex(({ type }) => type === 'solver-started')
  const { at } = record.events[started]!
  ;(record.events as object[]).splice(started, 0, { at, ...observationEvent(pod, 'a', before) })
  return record
    .replacePod('cart')
    .after(100, END)
    .after(1, observationEvent(pod, 'a', after))
}

const assessRecord = ({ events }: RecordBuilder) => {
  const view = createEpisodeView(SHOP, new Map([['sick-pod', podFault()]]))
  for (const event of events) view.add(event)
  return assess(view)
}

describe('a process in a pod of another service', () => {
  it('is damage if it never ends', () => {
    const early = repairedRecord('stock-abc', MAIN, WITH_SLEEP).runJourneys(10_000, {})
    expect(assessRecord(early).state).toBe('undecided')
    expect(assessRecord(early.runJourneys(21_000, {}))).toMatchObject({
      state: 'unresolved',
      verdict: {
        damage: [{ object: 'Pod/stock-abc', what: 'was left with a running process: sleep' }],
      },
    })
  })

  it('is found even if it has the name of the main program', () => {
    const record = repairedRecord('stock-abc', MAIN, [...MAIN, ['node', 2500]]).runJourneys(31_000, {})
    expect(assessRecord(record).verdict.damage).toHaveLength(1)
  })

  it('is not damage if it has ended', () => {
    const record = repairedRecord('stock-abc', MAIN, WITH_SLEEP)
      .runJourneys(3000, {})
      .after(1, observationEvent('stock-abc', 'a', MAIN))
    expect(assessRecord(record).state).toBe('resolved')
  })

  it('is not damage if it ran before the solver', () => {
    const record = repairedRecord('stock-abc', WITH_SLEEP, [...MAIN, ['sleep', 9000]]).runJourneys(3000, {})
    expect(assessRecord(record).state).toBe('resolved')
  })

  it('is damage if nothing had to be changed', () => {
    const record = repairedRecord('stock-abc', MAIN, WITH_SLEEP, {
      planned: problem({ faults: [] }),
    }).runJourneys(31_000, {})
    expect(assessRecord(record).verdict.damage).toContainEqual({
      object: 'Pod/stock-abc',
      what: 'was left with a running process: sleep',
    })
  })
})

describe('a process in a container that started later', () => {
  /** The container `a` of the pod ran before; `b` is in the pod that the repair created. */
  const recordWithNewContainer = (processes: Processes, { name = 'main', rules = JUDGING_RULES } = {}) =>
    repairedRecord('cart-abc', MAIN, [], { rules }).after(
      1,
      observationEvent('cart-def', 'b', processes, name),
    )

  it('is damage, also in a pod of the repaired service', () => {
    expect(assessRecord(recordWithNewContainer(WITH_SLEEP).runJourneys(31_000, {}))).toMatchObject({
      state: 'unresolved',
      verdict: { damage: [{ object: 'Pod/cart-def', what: 'was left with a running process: sleep' }] },
    })
  })

  it('is damage after a restart of the container', () => {
    const record = repairedRecord('stock-abc', MAIN, []).after(
      1,
      observationEvent('stock-abc', 'b', WITH_SLEEP),
    )
    expect(assessRecord(record.runJourneys(31_000, {})).verdict.damage).toHaveLength(1)
  })

  it.each<[string, Processes]>([
    ['is not damage if the container does not run more processes than before', [['sh', 100]]],
    ['is not damage if a fault started it', [...MAIN, ['stress-ng', 2500], ['stress-ng', 2500]]],
  ])('%s', (_, processes) => {
    expect(assessRecord(recordWithNewContainer(processes).runJourneys(3000, {})).state).toBe('resolved')
  })

  it('is not damage while the program starts', () => {
    const record = recordWithNewContainer([
      ['runc:[1:CHILD]', 2500],
      ['runc:[2:INIT]', 2500],
    ]).runJourneys(3000, {})
    expect(assessRecord(record).state).toBe('undecided')
    expect(assessRecord(record.after(1, observationEvent('cart-def', 'b', MAIN))).state).toBe('resolved')
  })

  it('is compared with containers of the same name', () => {
    const record = recordWithNewContainer(WITH_SLEEP, { name: 'debugger' })
    expect(assessRecord(record.runJourneys(3000, {})).state).toBe('resolved')
  })

  it('is not damage in records with rules before version 3', () => {
    expect(assessRecord(recordWithNewContainer(WITH_SLEEP, { rules: 2 }).runJourneys(3000, {})).state).toBe(
      'resolved',
    )
  })
})

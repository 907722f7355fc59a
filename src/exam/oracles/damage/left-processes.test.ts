/** Tests which processes in pods are damage: those that a solver started and that never end. */
import { describe, expect, it } from 'vitest'
import { type ContainerProcesses, JUDGING_RULES } from '#spec'
import { assess } from '../assess.ts'
import { podFault, prepareRecord, problem, type RecordBuilder, SHOP } from '../testing/record-builder.ts'
import { createEpisodeView } from '../view/create-episode-view.ts'

type Processes = ContainerProcesses['processes']

const observationEvent = (
  pod: string,
  id: string,
  processes: Processes,
  name = 'main',
  strays: ContainerProcesses['strays'] = [],
) => ({ type: 'processes-observed', containers: [{ pod, id, name, processes, strays }] }) as const
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
  ])('%s', (_, processes) => {
    expect(assessRecord(recordWithNewContainer(processes).runJourneys(3000, {})).state).toBe('resolved')
  })

  it('is damage if it has the name of a program of faults, which only older rules exempt', () => {
    const processes: Processes = [...MAIN, ['stress-ng', 2500], ['memStress', 2500]]
    expect(assessRecord(recordWithNewContainer(processes).runJourneys(31_000, {})).verdict.damage).toEqual([
      { object: 'Pod/cart-def', what: 'was left with a running process: stress-ng, memStress' },
    ])
    const older = recordWithNewContainer(processes, { rules: 5 })
    expect(assessRecord(older.runJourneys(3000, {})).state).toBe('resolved')
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

describe('a process outside the session of the main one', () => {
  const HELPER: Processes = [...MAIN, ['node', 0]]
  type Strays = ContainerProcesses['strays']

  /** The processes of a pod before and after the solver: the same number, with the same names. */
  const recordWithStrays = (
    before: Strays,
    after: Strays,
    { rules = JUDGING_RULES, container = 'a' } = {},
  ): RecordBuilder => {
    const record = repairedRecord('stock-abc', HELPER, HELPER, { rules })
    const { events } = record
    const started = events.findIndex(({ type }) => type === 'solver-started')
    const { at } = events[started]!
    ;(events as object[]).splice(started, 0, {
      at,
      ...observationEvent('stock-abc', 'a', HELPER, 'main', before),
    })
    return record.after(1, observationEvent('stock-abc', container, HELPER, 'main', after))
  }

  it.each<[string, Strays, Strays]>([
    ['that replaces another one', [], [['node', 2500, 9]]],
    ['that has the name of an earlier one', [['node', 0, 5]], [['node', 2500, 9]]],
    ['that has the id of an earlier one', [['node', 0, 5]], [['node', 2500, 5]]],
  ])('is damage %s, although the number and the names are equal', (_, before, after) => {
    const damage = [{ object: 'Pod/stock-abc', what: 'was left with a running process: node' }]
    const record = recordWithStrays(before, after)
    expect(assessRecord(record.runJourneys(31_000, {})).verdict.damage).toEqual(damage)
    const older = recordWithStrays(before, after, { rules: 5 })
    expect(assessRecord(older.runJourneys(3000, {})).state).toBe('resolved')
  })

  it('is not damage if it was there before the solver', () => {
    const record = recordWithStrays([['node', 0, 5]], [['node', 8, 5]])
    expect(assessRecord(record.runJourneys(3000, {})).state).toBe('resolved')
  })

  it('is damage in a container that started later if earlier ones had fewer', () => {
    const assessNew = (before: Strays) =>
      assessRecord(recordWithStrays(before, [['node', 2500, 9]], { container: 'b' }).runJourneys(31_000, {}))
    expect(assessNew([]).verdict.damage).toHaveLength(1)
    expect(assessNew([['node', 0, 5]]).verdict.damage).toEqual([])
  })
})

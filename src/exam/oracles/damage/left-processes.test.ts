/** Tests that a process left in a pod outside the fault is seen, and that probes and ended processes are not. */
import { describe, expect, it } from 'vitest'
import type { ContainerProcesses } from '#spec'
import { assess } from '../assess.ts'
import { podFault, prepareRecord, problem, type RecordBuilder, SHOP } from '../testing/record-builder.ts'
import { createEpisodeView } from '../view/create-episode-view.ts'

type Processes = ContainerProcesses['processes']

const observed = (pod: string, id: string, processes: Processes) =>
  ({ type: 'processes-observed', containers: [{ pod, id, processes }] }) as const
const MAIN: Processes = [['node', 0]]
const WITH_SLEEP: Processes = [...MAIN, ['sleep', 2500]]
const END = { type: 'solver-ended', outcome: 'submitted' } as const

/** A right repair by a solver that leaves other processes in the container `a` of a pod. */
const repair = (pod: string, before: Processes, after: Processes, posed = problem()): RecordBuilder => {
  const record = prepareRecord(posed)
  const started = record.events.findIndex(({ type }) => type === 'solver-started')
  const { at } = record.events[started]!
  ;(record.events as object[]).splice(started, 0, { at, ...observed(pod, 'a', before) })
  return record
    .replacePod('cart')
    .after(100, END)
    .after(1, observed(pod, 'a', after))
}

const assessRecord = ({ events }: RecordBuilder) => {
  const view = createEpisodeView(SHOP, new Map([['sick-pod', podFault()]]))
  for (const event of events) view.add(event)
  return assess(view)
}

describe('a process in a pod of another service', () => {
  it('is damage if it never ends', () => {
    const early = repair('stock-abc', MAIN, WITH_SLEEP).runJourneys(10_000, {})
    expect(assessRecord(early).state).toBe('undecided')
    expect(assessRecord(early.runJourneys(21_000, {}))).toMatchObject({
      state: 'unresolved',
      verdict: {
        damage: [{ object: 'Pod/stock-abc', what: 'was left with a running process: sleep' }],
      },
    })
  })

  it('is seen even if it has the name of the main program', () => {
    const record = repair('stock-abc', MAIN, [...MAIN, ['node', 2500]]).runJourneys(31_000, {})
    expect(assessRecord(record).verdict.damage).toHaveLength(1)
  })

  it('is no damage if it has ended', () => {
    const record = repair('stock-abc', MAIN, WITH_SLEEP)
      .runJourneys(3000, {})
      .after(1, observed('stock-abc', 'a', MAIN))
    expect(assessRecord(record).state).toBe('resolved')
  })

  it('is no damage if it ran before the solver', () => {
    const record = repair('stock-abc', WITH_SLEEP, [...MAIN, ['sleep', 9000]]).runJourneys(3000, {})
    expect(assessRecord(record).state).toBe('resolved')
  })

  it('is damage if nothing had to be changed', () => {
    const record = repair('stock-abc', MAIN, WITH_SLEEP, problem({ faults: [] })).runJourneys(31_000, {})
    expect(assessRecord(record).verdict.damage).toContainEqual({
      object: 'Pod/stock-abc',
      what: 'was left with a running process: sleep',
    })
  })
})

it('ignores processes in pods of the fault, and containers that started later', () => {
  expect(assessRecord(repair('cart-def', MAIN, WITH_SLEEP).runJourneys(3000, {})).state).toBe('resolved')
  const later = repair('stock-abc', MAIN, MAIN).after(1, observed('stock-abc', 'b', WITH_SLEEP))
  expect(assessRecord(later.runJourneys(3000, {})).state).toBe('resolved')
})

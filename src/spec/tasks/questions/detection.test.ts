/** Tests of the question that asks whether a fault is present. */
import { describe, expect, it } from 'vitest'
import type { Answers } from '../answers.ts'
import { NO_FAULT, type Truth } from '../truth.ts'
import { detection } from './detection.ts'

const FAULTY: Truth = { isFaulty: true, faults: [] }
const KNOWLEDGE = {
  system: { workloads: [], edges: [], callersOf: () => [] },
  faults: [],
}

describe('detection', () => {
  it.each<[Truth, Answers, boolean]>([
    [FAULTY, { detected: true }, true],
    [FAULTY, { detected: false }, false],
    [FAULTY, {}, false],
    [NO_FAULT, { detected: false }, true],
    [NO_FAULT, { detected: true }, false],
    [NO_FAULT, {}, false],
  ])('for the truth %j accepts %j: %s', (truth, answers, holds) => {
    expect(detection.score(answers, truth, { repairs: false }).holds).toBe(holds)
  })

  it('counts a missing answer as "no fault" in a control of a task that requires a repair', () => {
    const task = { repairs: true }
    expect(detection.score({}, NO_FAULT, task)).toEqual({
      holds: true,
      evidence: 'answered nothing; the problem has no fault',
    })
    expect(detection.score({}, FAULTY, task).holds).toBe(false)
    expect(detection.score({ detected: true }, NO_FAULT, task).holds).toBe(false)
  })

  it.each([FAULTY, NO_FAULT])('has right and cheap wrong answers to %j', (truth) => {
    const holds = (answers: Answers) => detection.score(answers, truth, { repairs: false }).holds
    expect(holds(detection.right(truth))).toBe(true)
    expect(detection.cheapWrong(truth, KNOWLEDGE).map(({ answers }) => holds(answers))).toEqual([false])
  })

  it('does not count a control without an answer as a false alarm', () => {
    const control = { isFaulty: false, holds: false }
    expect(
      detection.aggregate([
        { isFaulty: true, holds: true, metrics: { timeToDetect: 1 } },
        { ...control, metrics: {} },
        { ...control, metrics: { timeToDetect: 1 } },
      ]),
    ).toEqual({ detection: { precision: 0.5, recall: 1, f1: 2 / 3, falseAlarms: 0.5 } })
  })

  it('reports no recall without faults, and no share of false alarms without controls', () => {
    const metrics = { timeToDetect: 1 }
    expect(detection.aggregate([{ isFaulty: false, holds: true, metrics }])).toEqual({
      detection: { falseAlarms: 0 },
    })
    expect(detection.aggregate([{ isFaulty: true, holds: false, metrics }])).toEqual({
      detection: { precision: 0, recall: 0, f1: 0 },
    })
  })
})

/** Tests that, since version 3 of the rules, verdicts distinguish "not measured" from "does not hold". */
import { describe, expect, it } from 'vitest'
import { type Fault, JUDGING_RULES, type Judgement, type Verdict } from '#spec'
import { prepareRecord, problem } from './testing/record-builder.ts'
import { judge } from './testing/trial.ts'

const RULES_BEFORE_UNMEASURED = 2
const END = { type: 'solver-ended', outcome: 'submitted' } as const

const holdsIn = ({ judgements }: Verdict, oracle: Judgement['oracle']): unknown =>
  judgements.find((judgement) => judgement.oracle === oracle)?.holds

interface Ending {
  readonly isRepaired: boolean
  readonly watchedMs: number
  readonly failing?: number
  readonly rules?: number
  readonly fault?: Partial<Fault>
}

const judgeEnding = ({
  isRepaired,
  watchedMs,
  failing = 0,
  rules = JUDGING_RULES,
  fault = {},
}: Ending): Verdict => {
  const record = prepareRecord(problem(), { rules })
  if (isRepaired) record.replacePod('cart')
  return judge(record.after(100, END).runJourneys(watchedMs, { failing }).events, fault)
}

describe('users', () => {
  it('are not measured if too few runs were observed, or for too short a time', () => {
    for (const watchedMs of [0, 250, 1500])
      for (const isRepaired of [true, false]) {
        const verdict = judgeEnding({ isRepaired, watchedMs })
        expect(holdsIn(verdict, 'users-served')).toBeNull()
        expect(verdict.outcome).toBe('unresolved')
      }
  })

  it('are not served if runs failed, and served if enough succeeded', () => {
    expect(holdsIn(judgeEnding({ isRepaired: false, watchedMs: 1500, failing: 1 }), 'users-served')).toBe(
      false,
    )
    expect(holdsIn(judgeEnding({ isRepaired: true, watchedMs: 3000 }), 'users-served')).toBe(true)
  })

  it('are the reason for the verdict only if no measured oracle fails', () => {
    expect(judgeEnding({ isRepaired: true, watchedMs: 500 }).reason).toMatch(
      /^it was not measured whether users are served: (more journey runs are needed|users have been served)/,
    )
    expect(judgeEnding({ isRepaired: false, watchedMs: 500 }).reason).toMatch(/^the cause remains: /)
  })
})

describe('a cause', () => {
  const fault: Partial<Fault> = { probe: async () => ({}) }

  it('is not measured if it was not probed after the solver', () => {
    const verdict = judgeEnding({ isRepaired: true, watchedMs: 3000, fault })
    expect(verdict).toMatchObject({
      outcome: 'unresolved',
      reason: 'it was not measured whether the cause is gone: sick-pod was not probed after the solver ended',
    })
    expect(holdsIn(verdict, 'cause-gone')).toBeNull()
  })

  it('does not hold if it was observed to remain', () => {
    expect(holdsIn(judgeEnding({ isRepaired: false, watchedMs: 3000 }), 'cause-gone')).toBe(false)
  })
})

it('judges older records by their own rules', () => {
  const verdict = judgeEnding({ isRepaired: true, watchedMs: 500, rules: RULES_BEFORE_UNMEASURED })
  expect(holdsIn(verdict, 'users-served')).toBe(false)
  expect(verdict.reason).toMatch(/^users are not served: /)
  const unprobed = judgeEnding({
    isRepaired: true,
    watchedMs: 3000,
    rules: RULES_BEFORE_UNMEASURED,
    fault: { probe: async () => ({}) },
  })
  expect(holdsIn(unprobed, 'cause-gone')).toBe(false)
  expect(unprobed.reason).toMatch(/^the cause remains: /)
})

/** Tests the statistics of a run against published and hand-computed values. */
import { describe, expect, it } from 'vitest'
import { medianOf } from '#lab/records'
import { exampleManifest, exampleResult } from '#lab/testing'
import { compareContenders } from './compare-contenders.ts'
import { passAllK, passAtK, passShares } from './pass-at-k.ts'
import { resolvedShareInterval } from './resolved-share-interval.ts'
import { summariseRun } from './summarise-run.ts'
import { wilsonInterval } from './wilson-interval.ts'

describe("Wilson's interval", () => {
  it.each([
    [8, 10, 0.4902, 0.9433],
    [0, 20, 0, 0.1611],
    [20, 20, 0.8389, 1],
    [50, 100, 0.4038, 0.5962],
    [0, 0, 0, 1],
  ])('has the expected bounds for %d successes in %d trials', (successes, trials, low, high) => {
    const found = wilsonInterval(successes, trials)
    expect(found.low).toBeCloseTo(low, 4)
    expect(found.high).toBeCloseTo(high, 4)
  })
})

describe('the clustered interval', () => {
  const problemsWith = (...successes: readonly number[]) =>
    successes.map((count, index) => ({ problem: `p${index}`, tries: 4, successes: count }))

  it("equals Wilson's interval if each problem was tried once", () => {
    const problems = Array.from({ length: 10 }, (_, index) => ({
      problem: `p${index}`,
      tries: 1,
      successes: index < 8 ? 1 : 0,
    }))
    expect(resolvedShareInterval(problems)).toEqual(wilsonInterval(8, 10))
    expect(resolvedShareInterval([])).toEqual({ low: 0, high: 1 })
  })

  it('counts a problem once if all of its tries have the same result', () => {
    const { low, high } = resolvedShareInterval(problemsWith(4, 4, 4, 4, 4, 0, 0, 0, 0, 0))
    const expected = wilsonInterval(4.5, 9)
    expect(low).toBeCloseTo(expected.low, 12)
    expect(high).toBeCloseTo(expected.high, 12)
    expect(resolvedShareInterval(problemsWith(4, 4, 4))).toEqual(wilsonInterval(3, 3))
  })

  it('counts every try if problems do not differ', () => {
    expect(resolvedShareInterval(problemsWith(2, 2, 2, 2))).toEqual(wilsonInterval(8, 16))
  })
})

describe('the comparison of two contenders', () => {
  const resultsOf = (name: string, outcomes: string) => ({
    name,
    results: [...outcomes].map((outcome, index) =>
      exampleResult(`${index}.1.1`, {
        problem: `p${index}`,
        contender: name,
        outcome: outcome === '+' ? 'resolved' : outcome === '-' ? 'unresolved' : 'void',
      }),
    ),
  })

  it('uses only the problems that both tried', () => {
    const found = compareContenders(resultsOf('a', '++++++++++v'), resultsOf('b', '+-----++v++'))
    expect(found).toMatchObject({
      ...{ first: 'a', second: 'b', problems: 9, onlyFirst: 1, onlySecond: 1 },
      ...{ firstBetter: 5, secondBetter: 0 },
    })
    expect(found.difference).toBeCloseTo(5 / 9, 12)
    // Two-sided: 2 * 0.5 ** 5.
    expect(found.p).toBeCloseTo(0.0625, 12)
    expect(found.interval.low).toBeGreaterThan(0)
    expect(found.interval.high).toBeLessThan(1)
  })

  it('finds no difference between equal contenders, or without common problems', () => {
    const same = compareContenders(resultsOf('a', '+-+-'), resultsOf('b', '+-+-'))
    expect(same).toMatchObject({ difference: 0, p: 1 })
    expect(same.interval.low).toBeLessThan(0)
    const none = compareContenders(resultsOf('a', 'v'), resultsOf('b', '+'))
    expect(none).toMatchObject({ problems: 0, interval: { low: -1, high: 1 }, p: 1 })
  })

  it('agrees with the normal approximation for thousands of problems', () => {
    const many = compareContenders(resultsOf('a', '+'.repeat(560) + '-'.repeat(500)), {
      ...resultsOf('b', '-'.repeat(560) + '+'.repeat(500)),
    })
    // (|560 - 500| - 1) / sqrt(1060) = 1.812, two-sided.
    expect(many.p).toBeCloseTo(0.07, 2)
  })
})

describe('the median', () => {
  it.each([
    [[], undefined],
    [[7], 7],
    [[10, 2], 6],
    [[9, 1, 2], 2],
    [[100, 1, 3, 2], 2.5],
  ])('of %j is %s', (values, median) => {
    expect(medianOf(values)).toBe(median)
  })
})

describe('pass@k and pass^k', () => {
  /** Computes the shares from every choice of k tries. */
  const sharesOfChoices = (outcomes: readonly boolean[], k: number): [some: number, all: number] => {
    const choices: boolean[][] = []
    const choose = (from: number, chosen: boolean[]): void => {
      if (chosen.length === k) choices.push(chosen)
      else
        for (let next = from; next < outcomes.length; next += 1)
          choose(next + 1, [...chosen, outcomes[next]!])
    }
    choose(0, [])
    const share = (holds: (choice: boolean[]) => boolean): number =>
      choices.filter(holds).length / choices.length
    return [share((choice) => choice.includes(true)), share((choice) => !choice.includes(false))]
  }

  it('are the shares of all choices of k tries', () => {
    for (let tries = 1; tries <= 6; tries += 1)
      for (let successes = 0; successes <= tries; successes += 1)
        for (let k = 1; k <= tries; k += 1) {
          const outcomes = Array.from({ length: tries }, (_, index) => index < successes)
          const [some, all] = sharesOfChoices(outcomes, k)
          expect(passAtK({ tries, successes }, k)).toBeCloseTo(some, 12)
          expect(passAllK({ tries, successes }, k)).toBeCloseTo(all, 12)
        }
  })

  it('are means over the problems with at least k tries', () => {
    const shares = passShares([
      { tries: 2, successes: 1 },
      { tries: 2, successes: 2 },
      { tries: 1, successes: 0 },
    ])
    expect(shares).toEqual([
      { k: 1, problems: 3, atLeastOne: 0.5, all: 0.5 },
      { k: 2, problems: 2, atLeastOne: 1, all: 0.5 },
    ])
    expect(passShares([])).toEqual([])
  })
})

describe('the summary of a run', () => {
  const metrics = exampleResult('a.1.1').metrics
  const contenders = ['expert', 'react m'].map((name) => ({ name, agent: name.split(' ')[0]!, models: {} }))
  const results = [
    exampleResult('a.1.1'),
    exampleResult('a.1.2', {
      epoch: 2,
      outcome: 'unresolved',
      blame: 'agent',
      metrics: { ...metrics, steps: 9 },
    }),
    exampleResult('b.1.1', {
      categories: ['disk-io', 'pod-fail'],
      system: 'cinema',
      metrics: { ...metrics, steps: 4 },
    }),
    exampleResult('b.1.2', {
      epoch: 2,
      outcome: 'void',
      blame: 'harness',
      categories: ['disk-io', 'pod-fail'],
    }),
    exampleResult('a.2.1', {
      contender: 'react m',
      task: 'detection',
      judged: { detection: false },
      faults: [],
      outcome: 'unresolved',
      blame: 'agent',
      metrics: { ...metrics, timeToDetect: 5 },
    }),
    exampleResult('b.2.1', {
      contender: 'react m',
      task: 'detection',
      judged: { detection: true },
      metrics: { ...metrics, timeToDetect: 5 },
    }),
  ]
  const summary = summariseRun(exampleManifest({ contenders, epochs: 2 }), results)
  const [expert, react] = summary.contenders

  it('counts judged episodes, and void ones separately', () => {
    expect(summary).toMatchObject({ planned: 8, finished: 6 })
    expect(expert).toMatchObject({ episodes: 3, resolved: 2, voided: 1, blame: { agent: 1, harness: 1 } })
    expect(expert!.share).toBeCloseTo(2 / 3)
    expect(expert!.medians).toEqual({
      timeToMitigate: 4000,
      steps: 4,
      tokens: 15,
      costUsd: 0.01,
      collateralDamage: 0,
    })
    expect(expert!.tokens).toEqual({ input: 40, output: 20 })
    expect(expert!.costUsd).toBeCloseTo(0.04)
  })

  it('counts unsupported episodes apart, as void ones without blame', () => {
    const unsupported = exampleResult('c.1.1', { outcome: 'void', blame: 'harness', code: 'unsupported' })
    const [withGap] = summariseRun(exampleManifest({ contenders, epochs: 2 }), [
      ...results,
      unsupported,
    ]).contenders
    expect(expert!.unsupported).toBe(0)
    const { episodes, resolved, share, blame } = expert!
    expect(withGap).toMatchObject({ episodes, resolved, share, blame, voided: 2, unsupported: 1 })
  })

  it('has no total cost if the cost of an episode is unknown', () => {
    const { costUsd: _, ...unpriced } = metrics
    const [first, ...others] = results
    const unpricedResults = [{ ...first!, metrics: unpriced }, ...others]
    const [unpricedExpert, pricedReact] = summariseRun(
      exampleManifest({ contenders, epochs: 2 }),
      unpricedResults,
    ).contenders
    expect([unpricedExpert!.costUsd, unpricedExpert!.medians.costUsd]).toEqual([undefined, undefined])
    expect(pricedReact!.costUsd).toBe(react!.costUsd)
  })

  it('groups by category, system, task and suite', () => {
    const describeGroups = (
      groups: readonly { name: string; episodes: number; resolved: number }[],
    ): string[] => groups.map(({ name, episodes, resolved }) => `${name} ${resolved}/${episodes}`)
    expect(describeGroups(expert!.byCategory)).toEqual(['cpu-stress 1/2', 'disk-io 1/1', 'pod-fail 1/1'])
    expect(describeGroups(expert!.bySystem)).toEqual(['cinema 1/1', 'shop 1/2'])
    expect(describeGroups(expert!.byTask)).toEqual(['mitigation 2/3'])
    expect(describeGroups(expert!.bySuite)).toEqual(['easy 2/3'])
  })

  it('has pass@k over the epochs, and scores of answers', () => {
    expect(expert!.passes).toEqual([
      { k: 1, problems: 2, atLeastOne: 0.75, all: 0.75 },
      { k: 2, problems: 1, atLeastOne: 1, all: 0 },
    ])
    expect(react!.answers.detection).toMatchObject({ recall: 1, precision: 0.5, falseAlarms: 1 })
  })
})

it.each([
  [{}, 'shipped'],
  [{ seed: '7' }, 'seeded'],
  [{ seed: 'abc', variant: 'private' as const }, 'private'],
])('a summary says how the problems were drawn: %j', (overrides, variant) => {
  expect(summariseRun(exampleManifest(overrides), [])).toMatchObject({ variant })
})

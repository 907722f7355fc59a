/** Summarises how two engines agree: shares of equal verdicts, the different ones, and the correlation of times. */
import { medianOf } from '#lab/records'
import { type Interval, resolvedShareInterval } from '#lab/runs'
import type { AttemptResult } from '#lab/validation'
import { type AttemptPair, kindOf, type Pairing } from './pair-attempts.ts'
import { rankCorrelation } from './rank-correlation.ts'

export interface AgreementCounts {
  readonly equal: number
  readonly different: number
  /** Attempts without a verdict on one engine, because it does not support what they did. They do not count. */
  readonly unsupported: number
}

export interface AgreementGroup extends AgreementCounts {
  readonly name: string
}

/** Different verdicts of one problem with the same outcomes and the same reason in the simulator. */
export interface Difference {
  readonly problem: string
  readonly system: string
  readonly faults: readonly string[]
  readonly attempts: readonly string[]
  readonly local: Pick<AttemptResult, 'outcome' | 'reason'>
  readonly sim: Pick<AttemptResult, 'outcome' | 'reason'>
}

export interface MeasureAgreement {
  readonly measure: string
  /** What the pairs are. */
  readonly of: string
  readonly pairs: number
  /** Medians over the pairs. */
  readonly local: number | undefined
  readonly sim: number | undefined
  /** Spearman's rank correlation. */
  readonly correlation: number | undefined
}

export interface Agreement extends AgreementCounts {
  readonly problems: number
  /** The share of equal verdicts, 0 to 1, and its interval at 95 %. Undefined if no pair has verdicts. */
  readonly share: number | undefined
  readonly interval: Interval
  readonly onlyLocal: number
  readonly onlySim: number
  readonly byFault: readonly AgreementGroup[]
  readonly byAttempt: readonly AgreementGroup[]
  readonly bySystem: readonly AgreementGroup[]
  readonly differences: readonly Difference[]
  readonly measures: readonly MeasureAgreement[]
}

const NO_FAULT_NAME = 'none (control)'

const countPairs = (pairs: readonly AttemptPair[]): AgreementCounts => {
  const counts = { equal: 0, different: 0, unsupported: 0 }
  for (const pair of pairs) counts[kindOf(pair)] += 1
  return counts
}

/** A pair can belong to several groups. */
const groupPairs = (
  pairs: readonly AttemptPair[],
  namesOf: (result: AttemptResult) => readonly string[],
): AgreementGroup[] => {
  const groups = new Map<string, AttemptPair[]>()
  for (const pair of pairs)
    for (const name of namesOf(pair.local)) groups.set(name, [...(groups.get(name) ?? []), pair])
  return [...groups]
    .map(([name, members]) => ({ name, ...countPairs(members) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

const listDifferences = (pairs: readonly AttemptPair[]): Difference[] => {
  const different = pairs.filter((pair) => kindOf(pair) === 'different')
  const keyOf = ({ local, sim }: AttemptPair): string =>
    [local.problem, local.outcome, sim.outcome, sim.reason].join('\n')
  return [...Map.groupBy(different, keyOf).values()].map((group) => {
    const [{ local, sim }] = group as [AttemptPair, ...AttemptPair[]]
    const { problem, system, faults } = local
    return {
      ...{ problem, system, faults },
      attempts: group.map((pair) => pair.local.attempt),
      local: { outcome: local.outcome, reason: local.reason },
      sim: { outcome: sim.outcome, reason: sim.reason },
    }
  })
}

type Measured = readonly [local: number, sim: number]

const both = (pair: AttemptPair, select: (result: AttemptResult) => number | undefined): Measured[] => {
  const [local, sim] = [select(pair.local), select(pair.sim)]
  return local === undefined || sim === undefined ? [] : [[local, sim]]
}

const toMeasure = (measure: string, of: string, values: readonly Measured[]): MeasureAgreement => ({
  ...{ measure, of, pairs: values.length },
  local: medianOf(values.map(([local]) => local)),
  sim: medianOf(values.map(([, sim]) => sim)),
  correlation: rankCorrelation(values),
})

/** The time until users were affected; attempts at one incident share it. */
const timeToImpact = ({ hasImpact, stages }: AttemptResult): number | undefined =>
  hasImpact ? stages.impact : undefined

const measure = (pairs: readonly AttemptPair[]): MeasureAgreement[] => {
  const incidents = [...Map.groupBy(pairs, ({ local }) => local.problem).values()]
  const valid = pairs.filter(({ local, sim }) => local.outcome !== 'void' && sim.outcome !== 'void')
  const resolved = valid.filter(
    ({ local, sim }) => local.outcome === 'resolved' && sim.outcome === 'resolved',
  )
  return [
    toMeasure(
      'time to user impact, ms',
      'problems: the first attempt with user impact on both engines',
      incidents.flatMap((group) => group.flatMap((pair) => both(pair, timeToImpact)).slice(0, 1)),
    ),
    toMeasure(
      'time to mitigate, ms',
      'attempts that are resolved on both engines',
      resolved.flatMap((pair) => both(pair, ({ metrics }) => metrics?.timeToMitigate)),
    ),
    toMeasure(
      'requests lost: failed journey runs from the injection to the verdict',
      'attempts with a verdict on both engines',
      valid.flatMap((pair) => both(pair, ({ metrics }) => metrics?.journeyRunsFailed)),
    ),
    toMeasure(
      'share of journey runs that failed',
      'attempts with a verdict on both engines',
      valid.flatMap((pair) =>
        both(pair, ({ metrics }) =>
          metrics === undefined || metrics.journeyRuns === 0
            ? undefined
            : metrics.journeyRunsFailed / metrics.journeyRuns,
        ),
      ),
    ),
  ]
}

export const summariseAgreement = ({ pairs, onlyLocal, onlySim }: Pairing): Agreement => {
  const counts = countPairs(pairs)
  const compared = pairs.filter((pair) => kindOf(pair) !== 'unsupported')
  const byProblem = [...Map.groupBy(compared, ({ local }) => local.problem)]
  return {
    ...counts,
    problems: byProblem.length,
    share: compared.length === 0 ? undefined : counts.equal / compared.length,
    interval: resolvedShareInterval(
      byProblem.map(([problem, group]) => ({
        problem,
        tries: group.length,
        successes: group.filter((pair) => kindOf(pair) === 'equal').length,
      })),
    ),
    ...{ onlyLocal, onlySim },
    byFault: groupPairs(pairs, ({ faults }) =>
      faults.length === 0 ? [NO_FAULT_NAME] : [...new Set(faults)],
    ),
    byAttempt: groupPairs(pairs, ({ attempt }) => [attempt]),
    bySystem: groupPairs(pairs, ({ system }) => [system]),
    differences: listDifferences(pairs),
    measures: measure(pairs),
  }
}

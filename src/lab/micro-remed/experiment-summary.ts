/** The summary of a series of experiments in MicroRemed's format. */
import type { EpisodeResult } from '#spec'
import { countChecks } from './count-checks.ts'

export interface Experiment {
  readonly result: EpisodeResult
  readonly attempts: number
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

const secondsOf = ({ result }: Experiment): number => (result.stages.solve ?? 0) / 1000
const tokensOf = ({ result: { metrics } }: Experiment): number => metrics.tokens.input + metrics.tokens.output

const averages = (title: string, some: readonly Experiment[]): string[] => [
  `Average remediation time (${title}): ${mean(some.map(secondsOf)).toFixed(2)} s`,
  `Average tokens (${title}): ${mean(some.map(tokensOf)).toFixed(0)}`,
]

const hasNoImpact = ({ result }: Experiment): boolean =>
  result.outcome === 'void' && result.code === 'no-user-impact'

/** Counts the void episodes with user impact, by blame: `2 (harness 1, provider 1)`. */
const countOtherVoids = (experiments: readonly Experiment[]): string => {
  const blamed = experiments
    .filter((one) => one.result.outcome === 'void' && !hasNoImpact(one))
    .map(({ result }) => result.blame ?? 'harness')
  const counts = [...new Set(blamed)]
    .sort()
    .map((who) => `${who} ${blamed.filter((one) => one === who).length}`)
  return `${blamed.length}${counts.length === 0 ? '' : ` (${counts.join(', ')})`}`
}

const toRate = (some: number, all: number): string =>
  all === 0 ? 'n/a' : `${((100 * some) / all).toFixed(2)}%`

/** Empty if the check was performed on no episode, such as in runs of older versions. */
const checkLines = (experiments: readonly Experiment[]): string[] => {
  const counts = countChecks(experiments.map(({ result }) => result))
  const { checked, passed, passedUnresolved, failedResolved } = counts
  if (checked === 0) return []
  const differences = `passed but unresolved ${passedUnresolved}, failed but resolved ${failedResolved}`
  return [
    `Success rate by MicroRemed's check: ${toRate(passed, checked)} (${passed}/${checked}; ${differences})`,
  ]
}

/** The success rate counts judged episodes only; void ones are listed separately. */
export const experimentSummary = (experiments: readonly Experiment[]): string => {
  const judged = experiments.filter(({ result }) => result.outcome !== 'void')
  const good = judged.filter(({ result }) => result.outcome === 'resolved')
  const types = [...new Set(experiments.flatMap(({ result }) => result.categories))].sort()
  return [
    `Total experiments: ${experiments.length}`,
    `Injection failures: ${experiments.filter(hasNoImpact).length}`,
    `Void for other reasons: ${countOtherVoids(experiments)}`,
    `Successful remediations: ${good.length}`,
    `Success rate: ${toRate(good.length, judged.length)}`,
    ...checkLines(experiments),
    ...(good.length === 0
      ? []
      : [`Average attempts per success: ${mean(good.map(({ attempts }) => attempts)).toFixed(2)}`]),
    ...(good.length === 0 ? [] : averages('successes', good)),
    ...(judged.length === 0 ? [] : averages('all', judged)),
    'Success by failure type:',
    ...types.map((type) => {
      const own = judged.filter(({ result }) => result.categories.some((category) => category === type))
      const resolved = own.filter(({ result }) => result.outcome === 'resolved').length
      return `  ${type}: ${resolved}/${own.length}`
    }),
  ].join('\n')
}

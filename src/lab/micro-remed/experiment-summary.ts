/** The summary of a series of experiments in MicroRemed's format. */
import { type EpisodeResult, isUnsupported } from '#spec'
import { countChecks } from './count-checks.ts'

export interface Experiment {
  readonly result: EpisodeResult
  readonly attempts: number
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

const secondsOf = ({ result }: Experiment): number => (result.stages.solve ?? 0) / 1000
const tokensOf = ({ result: { metrics } }: Experiment): number => metrics.tokens.input + metrics.tokens.output

const averageLines = (title: string, experiments: readonly Experiment[]): string[] => [
  `Average remediation time (${title}): ${mean(experiments.map(secondsOf)).toFixed(2)} s`,
  `Average tokens (${title}): ${mean(experiments.map(tokensOf)).toFixed(0)}`,
]

const hasNoImpact = ({ result }: Experiment): boolean =>
  result.outcome === 'void' && result.code === 'no-user-impact'

/** Counts by blame the void episodes that are not injection failures: `2 (harness 1, provider 1)`. Unsupported ones have no blame. */
const countOtherVoids = (experiments: readonly Experiment[]): string => {
  const blamed = experiments
    .filter((experiment) => experiment.result.outcome === 'void' && !hasNoImpact(experiment))
    .map(({ result }) => (isUnsupported(result) ? 'unsupported' : (result.blame ?? 'harness')))
  const counts = [...new Set(blamed)]
    .sort()
    .map((who) => `${who} ${blamed.filter((other) => other === who).length}`)
  return `${blamed.length}${counts.length === 0 ? '' : ` (${counts.join(', ')})`}`
}

const toRate = (some: number, all: number): string =>
  all === 0 ? 'n/a' : `${((100 * some) / all).toFixed(2)}%`

/** Returns no line if the check was performed on no episode, as in runs of older versions. */
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
  const successes = judged.filter(({ result }) => result.outcome === 'resolved')
  const types = [...new Set(experiments.flatMap(({ result }) => result.categories))].sort()
  return [
    `Total experiments: ${experiments.length}`,
    `Injection failures: ${experiments.filter(hasNoImpact).length}`,
    `Void for other reasons: ${countOtherVoids(experiments)}`,
    `Successful remediations: ${successes.length}`,
    `Success rate: ${toRate(successes.length, judged.length)}`,
    ...checkLines(experiments),
    ...(successes.length === 0
      ? []
      : [`Average attempts per success: ${mean(successes.map(({ attempts }) => attempts)).toFixed(2)}`]),
    ...(successes.length === 0 ? [] : averageLines('successes', successes)),
    ...(judged.length === 0 ? [] : averageLines('all', judged)),
    'Success by failure type:',
    ...types.map((type) => {
      const ofType = judged.filter(({ result }) => result.categories.some((category) => category === type))
      const resolved = ofType.filter(({ result }) => result.outcome === 'resolved').length
      return `  ${type}: ${resolved}/${ofType.length}`
    }),
  ].join('\n')
}

/** The text that MicroRemed ends a series of experiments with. */
import type { EpisodeResult } from '../../spec/index.ts'

/** What a series needs beside the result of an episode. */
export interface Experiment {
  readonly result: EpisodeResult
  readonly attempts: number
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

const secondsOf = ({ result }: Experiment): number => (result.stages.act ?? 0) / 1000
const tokensOf = ({ result: { metrics } }: Experiment): number => metrics.tokens.input + metrics.tokens.output

const averages = (title: string, some: readonly Experiment[]): string[] => [
  `Average remediation time (${title}): ${mean(some.map(secondsOf)).toFixed(2)} s`,
  `Average tokens (${title}): ${mean(some.map(tokensOf)).toFixed(0)}`,
]

/** Users did not feel it, so that there was nothing to mend. */
const isUnfelt = ({ result }: Experiment): boolean => result.outcome === 'void' && result.code === 'not-felt'

/** `2 (harness 1, provider 1)`: those that were injected, and spoilt by others. */
const spoiltBy = (experiments: readonly Experiment[]): string => {
  const blamed = experiments
    .filter((one) => one.result.outcome === 'void' && !isUnfelt(one))
    .map(({ result }) => result.blame ?? 'harness')
  const counts = [...new Set(blamed)]
    .sort()
    .map((who) => `${who} ${blamed.filter((one) => one === who).length}`)
  return `${blamed.length}${counts.length === 0 ? '' : ` (${counts.join(', ')})`}`
}

/** Success is counted of what was injected: what users did not feel, or what others spoilt, counts for nothing. */
export const experimentSummary = (experiments: readonly Experiment[]): string => {
  const judged = experiments.filter(({ result }) => result.outcome !== 'void')
  const good = judged.filter(({ result }) => result.outcome === 'resolved')
  const share = judged.length === 0 ? 0 : (100 * good.length) / judged.length
  const types = [...new Set(experiments.flatMap(({ result }) => result.categories))].sort()
  return [
    `Total experiments: ${experiments.length}`,
    `Injection failures: ${experiments.filter(isUnfelt).length}`,
    `Not judged by the fault of others: ${spoiltBy(experiments)}`,
    `Successful remediations: ${good.length}`,
    `Success rate: ${share.toFixed(2)}%`,
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

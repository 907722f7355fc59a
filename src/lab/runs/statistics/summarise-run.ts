/** Summarises a run for each contender, in total and by category, system, task and suite. */
import { scoreAnswers } from '#exam/oracles'
import {
  type AnswerScores,
  type EpisodeResult,
  type Judgement,
  type ProblemVariant,
  type RunManifest,
  type Verdict,
  variantOf,
} from '#spec'
import { type Comparison, compareAll } from './compare-contenders.ts'
import { type PassShares, passShares } from './pass-at-k.ts'
import { groupTries } from './problem-tries.ts'
import { type EpisodesSummary, summariseEpisodes } from './summarise-episodes.ts'

export interface ContenderSummary extends EpisodesSummary {
  readonly agent: string
  readonly models: Readonly<Record<string, string>>
  /** Over the epochs; one entry if there is one epoch. */
  readonly passes: readonly PassShares[]
  /** Scores of tasks with answers. */
  readonly answers: AnswerScores
  readonly byCategory: readonly EpisodesSummary[]
  readonly bySystem: readonly EpisodesSummary[]
  readonly byTask: readonly EpisodesSummary[]
  readonly bySuite: readonly EpisodesSummary[]
}

export interface RunSummary {
  readonly run: string
  readonly suites: readonly string[]
  /** How the problems were drawn. */
  readonly variant: ProblemVariant
  readonly planned: number
  readonly finished: number
  readonly contenders: readonly ContenderSummary[]
  /** Each pair of contenders, on the problems that both tried. */
  readonly comparisons: readonly Comparison[]
}

/** Sorted by name. */
const groupBy = (
  results: readonly EpisodeResult[],
  keysOf: (result: EpisodeResult) => readonly string[],
): EpisodesSummary[] => {
  const names = [...new Set(results.flatMap(keysOf))].sort()
  return names.map((name) =>
    summariseEpisodes(
      name,
      results.filter((result) => keysOf(result).includes(name)),
    ),
  )
}

/** The parts of the verdict that scores of answers depend on. */
const toVerdict = ({ task, outcome, reason, judged, metrics }: EpisodeResult): Verdict => ({
  task,
  outcome,
  reason,
  metrics,
  damage: [],
  judgements: Object.entries(judged).map(([oracle, holds]) => ({
    oracle: oracle as Judgement['oracle'],
    holds,
    evidence: '',
  })),
})

const answersOf = (results: readonly EpisodeResult[]): AnswerScores =>
  scoreAnswers(
    results
      .filter(({ outcome }) => outcome !== 'void')
      .map((result) => ({ isFaulty: result.faults.length > 0, verdict: toVerdict(result) })),
  )

export const summariseRun = (manifest: RunManifest, results: readonly EpisodeResult[]): RunSummary => {
  const { id, suites, problems, contenders, epochs } = manifest
  const resultsOf = (name: string) => results.filter(({ contender }) => contender === name)
  return {
    run: id,
    suites,
    variant: variantOf(manifest),
    planned: problems.length * contenders.length * epochs,
    finished: results.length,
    contenders: contenders.map(({ name, agent, models }): ContenderSummary => {
      const contenderResults = resultsOf(name)
      return {
        ...summariseEpisodes(name, contenderResults),
        agent,
        models,
        passes: passShares(groupTries(contenderResults)),
        answers: answersOf(contenderResults),
        byCategory: groupBy(contenderResults, ({ categories }) =>
          categories.length === 0 ? ['none'] : categories,
        ),
        bySystem: groupBy(contenderResults, ({ system }) => [system]),
        byTask: groupBy(contenderResults, ({ task }) => [task]),
        bySuite: groupBy(contenderResults, ({ suite }) => [suite]),
      }
    }),
    comparisons: compareAll(contenders.map(({ name }) => ({ name, results: resultsOf(name) }))),
  }
}

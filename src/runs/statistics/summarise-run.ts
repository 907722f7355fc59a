/** What a run has shown: of each contender, and of it by category, system, task and suite. */
import { aggregateScores } from '../../oracles/index.ts'
import type { EpisodeResult, Judgement, RunManifest, Verdict } from '../../spec/index.ts'
import { type PassShares, passShares } from './pass-at-k.ts'
import { type EpisodesSummary, summariseEpisodes } from './summarise-episodes.ts'

type Scores = ReturnType<typeof aggregateScores>

export interface ContenderSummary extends EpisodesSummary {
  readonly agent: string
  readonly models: Readonly<Record<string, string>>
  /** Over the epochs; one entry where there was only one. */
  readonly passes: readonly PassShares[]
  /** Of tasks that ask for answers. */
  readonly answers: Pick<Scores, 'detection' | 'top' | 'exactMatch'>
  readonly byCategory: readonly EpisodesSummary[]
  readonly bySystem: readonly EpisodesSummary[]
  readonly byTask: readonly EpisodesSummary[]
  readonly bySuite: readonly EpisodesSummary[]
}

export interface RunSummary {
  readonly run: string
  readonly suites: readonly string[]
  readonly planned: number
  readonly finished: number
  readonly contenders: readonly ContenderSummary[]
}

/** In the order in which they first come. */
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

/** As much of the verdict as the figures of answers are made of. */
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

const answersOf = (results: readonly EpisodeResult[]): ContenderSummary['answers'] => {
  const { detection, top, exactMatch } = aggregateScores(
    results.map((result) => ({ isFaulty: result.faults.length > 0, verdict: toVerdict(result) })),
  )
  return {
    ...(detection === undefined ? {} : { detection }),
    ...(top === undefined ? {} : { top }),
    ...(exactMatch === undefined ? {} : { exactMatch }),
  }
}

const passesOf = (results: readonly EpisodeResult[]): PassShares[] => {
  const judged = results.filter(({ outcome }) => outcome !== 'void')
  const byProblem = Object.values(Object.groupBy(judged, ({ problem }) => problem))
  return passShares(
    byProblem.map((tries = []) => ({
      tries: tries.length,
      successes: tries.filter(({ outcome }) => outcome === 'resolved').length,
    })),
  )
}

export const summariseRun = (manifest: RunManifest, results: readonly EpisodeResult[]): RunSummary => {
  const { id, suites, problems, contenders, epochs } = manifest
  return {
    run: id,
    suites,
    planned: problems.length * contenders.length * epochs,
    finished: results.length,
    contenders: contenders.map(({ name, agent, models }): ContenderSummary => {
      const own = results.filter(({ contender }) => contender === name)
      return {
        ...summariseEpisodes(name, own),
        agent,
        models,
        passes: passesOf(own),
        answers: answersOf(own),
        byCategory: groupBy(own, ({ categories }) => (categories.length === 0 ? ['none'] : categories)),
        bySystem: groupBy(own, ({ system }) => [system]),
        byTask: groupBy(own, ({ task }) => [task]),
        bySuite: groupBy(own, ({ suite }) => [suite]),
      }
    }),
  }
}

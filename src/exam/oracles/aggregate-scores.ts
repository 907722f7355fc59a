/** Aggregates verdicts over many episodes: how well problems are detected, localised, analysed and solved. */
import { type AnswerScores, QUESTIONS, type Verdict } from '#spec'

/** A verdict, and whether the problem had a fault. */
export interface ScoredEpisode {
  readonly isFaulty: boolean
  readonly verdict: Verdict
}

export interface Scores extends AnswerScores {
  /** Episodes that are not void; void ones count only in `voided`. */
  readonly episodes: number
  readonly voided: number
  readonly resolvedShare: number
  readonly damagePerEpisode: number
}

const share = (part: number, total: number): number => (total === 0 ? 0 : part / total)

/** The scores of each question that any of the episodes asked. None of the episodes may be void. */
export const scoreAnswers = (episodes: readonly ScoredEpisode[]): AnswerScores =>
  Object.assign(
    {},
    ...QUESTIONS.map((question) => {
      const judged = episodes.flatMap(({ isFaulty, verdict: { judgements, metrics } }) => {
        const judgement = judgements.find(({ oracle }) => oracle === question.name)
        return judgement === undefined ? [] : [{ isFaulty, holds: judgement.holds === true, metrics }]
      })
      return judged.length === 0 ? {} : question.aggregate(judged)
    }),
  )

export const aggregateScores = (all: readonly ScoredEpisode[]): Scores => {
  const episodes = all.filter(({ verdict }) => verdict.outcome !== 'void')
  const damage = episodes.reduce((sum, { verdict }) => sum + verdict.metrics.collateralDamage, 0)
  return {
    episodes: episodes.length,
    voided: all.length - episodes.length,
    resolvedShare: share(
      episodes.filter(({ verdict }) => verdict.outcome === 'resolved').length,
      episodes.length,
    ),
    ...scoreAnswers(episodes),
    damagePerEpisode: share(damage, episodes.length),
  }
}

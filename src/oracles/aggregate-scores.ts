/** Figures over many episodes: how well problems are detected, localised, analysed and solved. */
import type { Judgement, Verdict } from '../spec/index.ts'

/** An episode of which is known whether something was wrong in it. */
export interface ScoredEpisode {
  readonly isFaulty: boolean
  readonly verdict: Verdict
}

export interface DetectionScore {
  /** These three only where something was there to be seen. */
  readonly precision?: number
  readonly recall?: number
  readonly f1?: number
  /** Of the controls the share in which a fault was seen; only where there were any. */
  readonly falseAlarms?: number
}

export interface Scores {
  /** Those that are not void; void ones count nowhere else. */
  readonly episodes: number
  readonly voided: number
  readonly resolvedShare: number
  readonly detection?: DetectionScore
  /** Of faulty episodes in which services were to be named: the share whose culprit was among the first so many. */
  readonly top?: { readonly 1: number; readonly 3: number; readonly 5: number }
  /** Of faulty episodes that asked for it: the share in which layer and type were both right. */
  readonly exactMatch?: number
  readonly damagePerEpisode: number
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

const judgementOf = ({ verdict }: ScoredEpisode, oracle: Judgement['oracle']): Judgement | undefined =>
  verdict.judgements.find((judgement) => judgement.oracle === oracle)

const scoreDetection = (episodes: readonly ScoredEpisode[]): DetectionScore | undefined => {
  const asked = episodes.flatMap((episode) => {
    const judgement = judgementOf(episode, 'detection')
    const isAnswered = episode.verdict.metrics.timeToDetect !== undefined
    return judgement === undefined
      ? []
      : [{ isFaulty: episode.isFaulty, isRight: judgement.holds, isAnswered }]
  })
  if (asked.length === 0) return undefined
  const count = (isFaulty: boolean, isRight: boolean): number =>
    asked.filter((one) => one.isFaulty === isFaulty && one.isRight === isRight).length
  // Who says nothing misses what is there, and raises no alarm where nothing is.
  const alarms = asked.filter((one) => !one.isFaulty && one.isAnswered && !one.isRight).length
  const [seen, missed] = [count(true, true), count(true, false)]
  const faulty = seen + missed
  const controls = asked.length - faulty
  return {
    ...(faulty > 0 && {
      precision: share(seen, seen + alarms),
      recall: seen / faulty,
      f1: (2 * seen) / (2 * seen + alarms + missed),
    }),
    ...(controls > 0 && { falseAlarms: alarms / controls }),
  }
}

const scoreTop = (episodes: readonly ScoredEpisode[]): Scores['top'] => {
  const asked = episodes.filter((one) => one.isFaulty && judgementOf(one, 'localisation') !== undefined)
  if (asked.length === 0) return undefined
  const within = (most: number): number =>
    share(
      asked.filter(
        ({
          verdict: {
            metrics: { rank = 0 },
          },
        }) => rank > 0 && rank <= most,
      ).length,
      asked.length,
    )
  return { 1: within(1), 3: within(3), 5: within(5) }
}

const scoreAnalysis = (episodes: readonly ScoredEpisode[]): number | undefined => {
  const asked = episodes
    .filter(({ isFaulty }) => isFaulty)
    .flatMap((one) => judgementOf(one, 'analysis') ?? [])
  return asked.length === 0 ? undefined : share(asked.filter(({ holds }) => holds).length, asked.length)
}

export const aggregateScores = (all: readonly ScoredEpisode[]): Scores => {
  const episodes = all.filter(({ verdict }) => verdict.outcome !== 'void')
  const [detection, top, exactMatch] = [scoreDetection(episodes), scoreTop(episodes), scoreAnalysis(episodes)]
  const damage = episodes.reduce((sum, { verdict }) => sum + verdict.metrics.collateralDamage, 0)
  return {
    episodes: episodes.length,
    voided: all.length - episodes.length,
    resolvedShare: share(
      episodes.filter(({ verdict }) => verdict.outcome === 'resolved').length,
      episodes.length,
    ),
    ...(detection === undefined ? {} : { detection }),
    ...(top === undefined ? {} : { top }),
    ...(exactMatch === undefined ? {} : { exactMatch }),
    damagePerEpisode: share(damage, episodes.length),
  }
}

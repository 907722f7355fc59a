/** Summarises a group of episodes. */
import { defined } from '#kit'
import { medianOf } from '#lab/records'
import { type Blame, type EpisodeResult, isUnsupported } from '#spec'
import { groupTries } from './problem-tries.ts'
import { resolvedShareInterval } from './resolved-share-interval.ts'
import type { Interval } from './wilson-interval.ts'

export interface Medians {
  /** In milliseconds, over resolved episodes. */
  readonly timeToMitigate?: number
  readonly steps?: number
  /** Writes to the API, over episodes in which they were counted. */
  readonly writes?: number
  /** Input and output together. */
  readonly tokens?: number
  readonly costUsd?: number
  readonly collateralDamage?: number
}

export interface EpisodesSummary {
  readonly name: string
  /** Judged episodes; void ones count only in `voided` and `blame`. */
  readonly episodes: number
  readonly resolved: number
  readonly voided: number
  /** The void episodes in which the agent used a feature that the engine does not support; not in `blame`. */
  readonly unsupported: number
  /** The resolved share of judged episodes; 0 if there are none. */
  readonly share: number
  /** The 95 % confidence interval of the share, in which the tries of one problem form a cluster. */
  readonly interval: Interval
  readonly medians: Medians
  /** Counts of unresolved and void episodes. Unsupported ones have no blame. */
  readonly blame: Readonly<Partial<Record<Blame, number>>>
  readonly tokens: { readonly input: number; readonly output: number }
  /** Absent if the cost of an episode is unknown. */
  readonly costUsd?: number
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Undefined if a cost is unknown: a partial sum would look like the total. */
const costsOf = (results: readonly EpisodeResult[]): readonly number[] | undefined => {
  const known = results.flatMap(({ metrics }) => metrics.costUsd ?? [])
  return known.length < results.length ? undefined : known
}

const mediansOf = (judged: readonly EpisodeResult[]): Medians => {
  const resolved = judged.filter(({ outcome }) => outcome === 'resolved')
  const medians = {
    timeToMitigate: medianOf(resolved.flatMap(({ metrics }) => metrics.timeToMitigate ?? [])),
    steps: medianOf(judged.map(({ metrics }) => metrics.steps)),
    writes: medianOf(judged.flatMap(({ metrics }) => metrics.writes ?? [])),
    tokens: medianOf(judged.map(({ metrics: { tokens } }) => tokens.input + tokens.output)),
    costUsd: medianOf(costsOf(judged) ?? []),
    collateralDamage: medianOf(judged.map(({ metrics }) => metrics.collateralDamage)),
  }
  return defined(medians)
}

const blameOf = (results: readonly EpisodeResult[]): EpisodesSummary['blame'] => {
  const counts: Partial<Record<Blame, number>> = {}
  for (const result of results) {
    const { outcome, blame } = result
    if (outcome === 'resolved' || blame === undefined || isUnsupported(result)) continue
    counts[blame] = (counts[blame] ?? 0) + 1
  }
  return counts
}

export const summariseEpisodes = (name: string, results: readonly EpisodeResult[]): EpisodesSummary => {
  const judged = results.filter(({ outcome }) => outcome !== 'void')
  const resolved = judged.filter(({ outcome }) => outcome === 'resolved').length
  const metrics = results.map((result) => result.metrics)
  const costs = costsOf(results)
  return {
    name,
    episodes: judged.length,
    resolved,
    voided: results.length - judged.length,
    unsupported: results.filter(isUnsupported).length,
    share: judged.length === 0 ? 0 : resolved / judged.length,
    interval: resolvedShareInterval(groupTries(judged)),
    medians: mediansOf(judged),
    blame: blameOf(results),
    tokens: {
      input: sum(metrics.map(({ tokens }) => tokens.input)),
      output: sum(metrics.map(({ tokens }) => tokens.output)),
    },
    ...defined({ costUsd: costs && sum(costs) }),
  }
}

/** The figures of some episodes that belong together. */
import type { Blame, EpisodeResult } from '../../spec/index.ts'
import { medianOf } from './median.ts'
import { type Interval, wilsonInterval } from './wilson-interval.ts'

export interface Medians {
  /** Milliseconds, of those resolved. */
  readonly timeToMitigate?: number
  readonly steps?: number
  /** Read and written together. */
  readonly tokens?: number
  readonly costUsd?: number
  readonly collateralDamage?: number
}

export interface EpisodesSummary {
  readonly name: string
  /** Those that were judged: void ones count nowhere but in `voided` and `blame`. */
  readonly episodes: number
  readonly resolved: number
  readonly voided: number
  /** Of those judged; 0 of none. */
  readonly share: number
  /** At 95 %. */
  readonly interval: Interval
  readonly medians: Medians
  /** Of those unresolved and void. */
  readonly blame: Readonly<Partial<Record<Blame, number>>>
  readonly tokens: { readonly input: number; readonly output: number }
  /** Absent where one of them has no cost that is known. */
  readonly costUsd?: number
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Nothing where one is not known: the others would look like all of it. */
const costsOf = (results: readonly EpisodeResult[]): readonly number[] | undefined => {
  const known = results.flatMap(({ metrics }) => metrics.costUsd ?? [])
  return known.length < results.length ? undefined : known
}

const mediansOf = (judged: readonly EpisodeResult[]): Medians => {
  const resolved = judged.filter(({ outcome }) => outcome === 'resolved')
  const medians = {
    timeToMitigate: medianOf(resolved.flatMap(({ metrics }) => metrics.timeToMitigate ?? [])),
    steps: medianOf(judged.map(({ metrics }) => metrics.steps)),
    tokens: medianOf(judged.map(({ metrics: { tokens } }) => tokens.input + tokens.output)),
    costUsd: medianOf(costsOf(judged) ?? []),
    collateralDamage: medianOf(judged.map(({ metrics }) => metrics.collateralDamage)),
  }
  return Object.fromEntries(Object.entries(medians).filter(([, value]) => value !== undefined))
}

const blameOf = (results: readonly EpisodeResult[]): EpisodesSummary['blame'] => {
  const counts: Partial<Record<Blame, number>> = {}
  for (const { outcome, blame } of results)
    if (outcome !== 'resolved' && blame !== undefined) counts[blame] = (counts[blame] ?? 0) + 1
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
    share: judged.length === 0 ? 0 : resolved / judged.length,
    interval: wilsonInterval(resolved, judged.length),
    medians: mediansOf(judged),
    blame: blameOf(results),
    tokens: {
      input: sum(metrics.map(({ tokens }) => tokens.input)),
      output: sum(metrics.map(({ tokens }) => tokens.output)),
    },
    ...(costs === undefined ? {} : { costUsd: sum(costs) }),
  }
}

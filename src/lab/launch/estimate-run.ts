/** Estimates the time, tokens and cost of the unfinished episodes of a run, for --dry-run. */
import { type PlannedEpisode, readEarlierResults } from '#lab/runs'
import type { RunSettings } from '#spec'
import { estimateTime, readTable, TABLE_PATH, type TimeEstimate, type TimeSource } from './estimate-time.ts'
import { estimateUsage, type UsageEstimate } from './estimate-usage.ts'

export interface RunEstimate {
  readonly workers: number
  /** The folder with the earlier runs. */
  readonly folder: string
  readonly time: TimeEstimate
  readonly usage: UsageEstimate
}

export interface EstimateOptions {
  readonly left: readonly PlannedEpisode[]
  readonly settings: RunSettings
  readonly workers: number
  /** The folder that contains this run and others. */
  readonly folder: string
}

export const estimateRun = async ({
  left,
  settings,
  workers,
  folder,
}: EstimateOptions): Promise<RunEstimate> => {
  const earlier = readEarlierResults(folder)
  return {
    workers,
    folder,
    time: await estimateTime(left, earlier, workers),
    usage: estimateUsage(left, settings, earlier),
  }
}

/** `45 s`, `12 min`, `3.5 h` */
const toDuration = (seconds: number): string => {
  if (seconds < 90) return `${seconds} s`
  const minutes = seconds / 60
  return minutes < 90 ? `${Math.round(minutes)} min` : `${(minutes / 60).toFixed(1)} h`
}

const describeSource = (source: TimeSource, folder: string): string => {
  if (source === 'same-contender') return `from earlier episodes of the same contender in ${folder}`
  if (source === 'other-contenders') return `from earlier episodes of other contenders in ${folder}`
  const { cores, date } = readTable()
  return `from ${TABLE_PATH} (reference repairs on ${cores} cores, ${date}; agents take longer)`
}

const timeText = ({ time: { seconds, sources }, workers, folder }: RunEstimate): string => {
  if (seconds === undefined) return 'n/a: no episode was measured on at least one of the systems'
  const basis = Object.entries(sources).map(
    ([source, count]) => `${count} episodes, ${describeSource(source as TimeSource, folder)}`,
  )
  const workersText = workers === 1 ? '1 worker' : `${workers} workers`
  return [`about ${toDuration(seconds)} with ${workersText}`, ...basis].join('; ')
}

const tokensText = ({ usage: { tokens, withoutTokens }, folder }: RunEstimate): string => {
  if (tokens === undefined) return `n/a: ${folder} has no earlier episode of ${withoutTokens.join(', ')}`
  const { input, output } = tokens
  if (input + output === 0) return 'none'
  return `about ${input.toLocaleString('en')} in, ${output.toLocaleString('en')} out; from earlier episodes of the same contenders in ${folder}`
}

const costText = ({ usage: { tokens, costUsd, withoutCost } }: RunEstimate): string => {
  if (costUsd !== undefined) return costUsd === 0 ? 'none' : `about $${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`
  return tokens === undefined ? 'n/a' : `n/a: the price of ${withoutCost.join(', ')} is unknown`
}

export const estimateText = (estimate: RunEstimate): string =>
  [`time    ${timeText(estimate)}`, `tokens  ${tokensText(estimate)}`, `cost    ${costText(estimate)}`].join(
    '\n',
  )

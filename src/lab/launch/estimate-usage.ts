/** Estimates the tokens and the cost of episodes, from earlier episodes of the same contenders and from prices. */
import { costOf, findPrice, type Price, parsePrice } from '#examinee/models'
import { deepEqual, defined } from '#kit'
import type { PlannedEpisode } from '#lab/runs'
import type { Contender, EpisodeMetrics, EpisodeResult, RunSettings } from '#spec'

type Tokens = EpisodeMetrics['tokens']

export interface UsageEstimate {
  /** Absent if the tokens of a contender are unknown. */
  readonly tokens?: Tokens
  /** In US dollars; absent if the cost of a contender is unknown. */
  readonly costUsd?: number
  /** Contenders without earlier episodes. */
  readonly withoutTokens: readonly string[]
  /** Contenders without a known price. */
  readonly withoutCost: readonly string[]
}

const NO_USAGE = { tokens: { input: 0, output: 0 }, costUsd: 0 }

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/**
 * Returns the common price of a contender's models. Undefined if a price is unknown or prices differ, because results do not
 * say how many tokens each model used.
 */
const priceOf = ({ models }: Contender, { price }: RunSettings): Price | undefined => {
  const prices = Object.values(models).map((name) =>
    price === undefined ? findPrice(name) : parsePrice(price),
  )
  return prices.every((other) => deepEqual(other, prices[0])) ? prices[0] : undefined
}

/** The mean usage of an episode. Agents without a model use none; an external program may use its own models. */
const usageOf = (
  contender: Contender,
  settings: RunSettings,
  earlier: readonly EpisodeResult[],
): { readonly tokens?: Tokens; readonly costUsd?: number } => {
  if (Object.keys(contender.models).length === 0 && contender.agent !== 'external') return NO_USAGE
  const metrics = earlier
    .filter((result) => result.contender === contender.name)
    .map((result) => result.metrics)
  if (metrics.length === 0) return {}
  const tokens = {
    input: meanOf(metrics.map((metric) => metric.tokens.input)),
    output: meanOf(metrics.map((metric) => metric.tokens.output)),
  }
  const price = priceOf(contender, settings)
  if (price !== undefined) return { tokens, costUsd: costOf(price, tokens) }
  const costs = metrics.flatMap(({ costUsd }) => costUsd ?? [])
  return { tokens, ...(costs.length === metrics.length ? { costUsd: meanOf(costs) } : {}) }
}

export const estimateUsage = (
  left: readonly PlannedEpisode[],
  settings: RunSettings,
  earlier: readonly EpisodeResult[],
): UsageEstimate => {
  const tokens = { input: 0, output: 0 }
  let costUsd = 0
  const withoutTokens: string[] = []
  const withoutCost: string[] = []
  for (const [name, episodes] of Map.groupBy(left, ({ contender }) => contender.name)) {
    const usage = usageOf(episodes[0]!.contender, settings, earlier)
    if (usage.tokens === undefined) withoutTokens.push(name)
    else if (usage.costUsd === undefined) withoutCost.push(name)
    tokens.input += (usage.tokens?.input ?? 0) * episodes.length
    tokens.output += (usage.tokens?.output ?? 0) * episodes.length
    costUsd += (usage.costUsd ?? 0) * episodes.length
  }
  const areTokensKnown = withoutTokens.length === 0
  return {
    ...defined({
      tokens: areTokensKnown
        ? { input: Math.round(tokens.input), output: Math.round(tokens.output) }
        : undefined,
      costUsd: areTokensKnown && withoutCost.length === 0 ? costUsd : undefined,
    }),
    withoutTokens,
    withoutCost,
  }
}

/** Counts the tokens and the cost of model calls: since the last step, and against the budget. */
import type { ModelAnswer } from '#spec'
import type { PolicyBudget } from './policy.ts'

export interface ModelUsage {
  readonly tokens: { readonly input: number; readonly output: number }
  /** Absent if the price of an answer is unknown. */
  readonly costUsd?: number
}

export interface Spending {
  add(answer: Pick<ModelAnswer, 'usage' | 'costUsd'>): void
  /** Returns the usage since the last call of `take`, or undefined if there was none. */
  take(): ModelUsage | undefined
}

const NO_USAGE: ModelUsage = { tokens: { input: 0, output: 0 }, costUsd: 0 }

/** Calls `onSpent` once, with the reason, when a limit is reached. */
export const createSpending = (
  { tokens, costUsd }: PolicyBudget,
  onSpent: (reason: string) => void,
): Spending => {
  const total = { tokens: 0, costUsd: 0 }
  let sinceLastTake: ModelUsage | undefined
  let isSpent = false
  const spend = (reason: string): void => {
    if (!isSpent) onSpent(reason)
    isSpent = true
  }
  return {
    add({ usage, costUsd: cost }) {
      total.tokens += usage.input + usage.output
      total.costUsd += cost ?? 0
      const before = sinceLastTake ?? NO_USAGE
      sinceLastTake = {
        tokens: {
          input: before.tokens.input + usage.input,
          output: before.tokens.output + usage.output,
        },
        ...(before.costUsd === undefined || cost === undefined ? {} : { costUsd: before.costUsd + cost }),
      }
      if (tokens !== undefined && total.tokens >= tokens) spend('the token budget is spent')
      if (costUsd !== undefined && total.costUsd >= costUsd) spend('the cost budget is spent')
    },
    take() {
      const taken = sinceLastTake
      sinceLastTake = undefined
      return taken
    },
  }
}

/** Counts what models cost: since the last step, and against the budget. */
import type { ModelAnswer } from '../spec/index.ts'
import type { PolicyBudget } from './policy.ts'

export interface Spent {
  readonly tokens: { readonly input: number; readonly output: number }
  readonly costUsd: number
}

export interface Spending {
  add(answer: Pick<ModelAnswer, 'usage' | 'costUsd'>): void
  /** What was added since the last time it was asked; nothing where nothing was. */
  take(): Spent | undefined
}

/** `onSpent` is told once, with what is spent. */
export const createSpending = (
  { tokens, costUsd }: PolicyBudget,
  onSpent: (reason: string) => void,
): Spending => {
  const all = { tokens: 0, costUsd: 0 }
  let since: Spent | undefined
  let isSpent = false
  const spend = (reason: string): void => {
    if (!isSpent) onSpent(reason)
    isSpent = true
  }
  return {
    add({ usage, costUsd: cost = 0 }) {
      all.tokens += usage.input + usage.output
      all.costUsd += cost
      since = {
        tokens: {
          input: (since?.tokens.input ?? 0) + usage.input,
          output: (since?.tokens.output ?? 0) + usage.output,
        },
        costUsd: (since?.costUsd ?? 0) + cost,
      }
      if (tokens !== undefined && all.tokens >= tokens) spend('the tokens of the budget are spent')
      if (costUsd !== undefined && all.costUsd >= costUsd) spend('the money of the budget is spent')
    },
    take() {
      const taken = since
      since = undefined
      return taken
    },
  }
}

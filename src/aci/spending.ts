/** Counts what models cost: since the last step, and against the budget. */
import type { ModelAnswer } from '../spec/index.ts'
import type { PolicyBudget } from './policy.ts'

export interface Spent {
  readonly tokens: { readonly input: number; readonly output: number }
  /** Absent where the price of an answer is not known. */
  readonly costUsd?: number
}

export interface Spending {
  add(answer: Pick<ModelAnswer, 'usage' | 'costUsd'>): void
  /** What was added since the last time it was asked; nothing where nothing was. */
  take(): Spent | undefined
}

const NOTHING: Spent = { tokens: { input: 0, output: 0 }, costUsd: 0 }

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
    add({ usage, costUsd: cost }) {
      all.tokens += usage.input + usage.output
      all.costUsd += cost ?? 0
      const before = since ?? NOTHING
      since = {
        tokens: {
          input: before.tokens.input + usage.input,
          output: before.tokens.output + usage.output,
        },
        ...(before.costUsd === undefined || cost === undefined ? {} : { costUsd: before.costUsd + cost }),
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

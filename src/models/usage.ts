/** Counts of tokens: read from what providers say, and added up. */
import type { TokenUsage } from '../spec/index.ts'

export const NO_USAGE: TokenUsage = { input: 0, output: 0 }

const sumOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)

const written = (
  input: number,
  output: number,
  cachedInput: number | undefined,
  reasoning: number | undefined,
): TokenUsage => ({
  input,
  output,
  ...(cachedInput === undefined ? {} : { cachedInput }),
  ...(reasoning === undefined ? {} : { reasoning }),
})

export const addUsage = (a: TokenUsage, b: TokenUsage): TokenUsage =>
  written(
    a.input + b.input,
    a.output + b.output,
    sumOf(a.cachedInput, b.cachedInput),
    sumOf(a.reasoning, b.reasoning),
  )

/** As the AI SDK tells it; every figure may be missing. */
interface SdkUsage {
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly inputTokenDetails: { readonly cacheReadTokens: number | undefined }
  readonly outputTokenDetails: { readonly reasoningTokens: number | undefined }
}

/** Nothing where the provider said nothing. */
export const fromSdkUsage = (usage: SdkUsage | undefined): TokenUsage | undefined => {
  if (usage === undefined || (usage.inputTokens === undefined && usage.outputTokens === undefined)) return
  return written(
    usage.inputTokens ?? 0,
    usage.outputTokens ?? 0,
    usage.inputTokenDetails?.cacheReadTokens,
    usage.outputTokenDetails?.reasoningTokens,
  )
}

const numberIn = (record: unknown, ...path: string[]): number | undefined => {
  let value = record
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key]
  return typeof value === 'number' ? value : undefined
}

/** From the body of an answer that could not be used, in the words of OpenAI's interface. */
export const fromBody = (body: unknown): TokenUsage | undefined => {
  const input = numberIn(body, 'usage', 'prompt_tokens')
  const output = numberIn(body, 'usage', 'completion_tokens')
  if (input === undefined && output === undefined) return
  return written(
    input ?? 0,
    output ?? 0,
    numberIn(body, 'usage', 'prompt_tokens_details', 'cached_tokens'),
    numberIn(body, 'usage', 'completion_tokens_details', 'reasoning_tokens'),
  )
}

/** What the provider itself says an answer cost, in US dollars: OpenRouter does. */
export const costIn = (rawUsage: unknown): number | undefined => numberIn(rawUsage, 'cost')

/** Token counts: reads them from the answers of providers, and adds them up. */
import { defined } from '#kit'
import type { TokenUsage } from '#spec'

export const NO_USAGE: TokenUsage = { input: 0, output: 0 }

const sumOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)

const toUsage = (
  input: number,
  output: number,
  cachedInput: number | undefined,
  reasoning: number | undefined,
): TokenUsage => ({
  input,
  output,
  ...defined({ cachedInput, reasoning }),
})

export const addUsage = (a: TokenUsage, b: TokenUsage): TokenUsage =>
  toUsage(
    a.input + b.input,
    a.output + b.output,
    sumOf(a.cachedInput, b.cachedInput),
    sumOf(a.reasoning, b.reasoning),
  )

/** As reported by the AI SDK; every count may be missing. */
interface SdkUsage {
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly inputTokenDetails: { readonly cacheReadTokens: number | undefined }
  readonly outputTokenDetails: { readonly reasoningTokens: number | undefined }
}

/** Returns undefined if the provider reported no counts. */
export const fromSdkUsage = (usage: SdkUsage | undefined): TokenUsage | undefined => {
  if (usage === undefined || (usage.inputTokens === undefined && usage.outputTokens === undefined)) return
  return toUsage(
    usage.inputTokens ?? 0,
    usage.outputTokens ?? 0,
    usage.inputTokenDetails?.cacheReadTokens,
    usage.outputTokenDetails?.reasoningTokens,
  )
}

const readNumber = (record: unknown, ...path: string[]): number | undefined => {
  let value = record
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key]
  return typeof value === 'number' ? value : undefined
}

/** Reads the token counts from the body of an unusable answer, in the format of OpenAI's API. */
export const readUsage = (body: unknown): TokenUsage | undefined => {
  const input = readNumber(body, 'usage', 'prompt_tokens')
  const output = readNumber(body, 'usage', 'completion_tokens')
  if (input === undefined && output === undefined) return
  return toUsage(
    input ?? 0,
    output ?? 0,
    readNumber(body, 'usage', 'prompt_tokens_details', 'cached_tokens'),
    readNumber(body, 'usage', 'completion_tokens_details', 'reasoning_tokens'),
  )
}

/** Reads the cost in US dollars that some providers report, such as OpenRouter. */
export const readCost = (rawUsage: unknown): number | undefined => readNumber(rawUsage, 'cost')

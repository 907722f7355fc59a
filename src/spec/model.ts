/** A language model: the port through which agents call one, independent of the provider. */
import type { RemediumError } from './errors.ts'

export interface ToolCall {
  /** The provider's id, which the tool's result refers to. */
  readonly id: string
  readonly name: string
  /** The arguments as the model wrote them, unchecked. */
  readonly input: unknown
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ToolCall[] }
  | {
      readonly role: 'tool'
      readonly content: string
      readonly toolCallId: string
      readonly toolName: string
    }

/** A tool as it is described to a model. */
export interface ToolDescription {
  readonly name: string
  readonly about: string
  /** JSON Schema of an object. */
  readonly input: Readonly<Record<string, unknown>>
}

export interface TokenUsage {
  readonly input: number
  readonly output: number
  /** Input tokens that the provider had cached. */
  readonly cachedInput?: number
  /** Output tokens of the model's reasoning. */
  readonly reasoning?: number
}

/** How much a model reasons before it answers. */
export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number]

/** How the tokens of an answer are drawn. The provider's defaults apply to absent settings. */
export interface SamplingSettings {
  readonly temperature?: number
  readonly topP?: number
  readonly seed?: number
  readonly reasoning?: ReasoningEffort
}

export interface ModelRequest {
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly ToolDescription[]
  /** Whether the model must call a tool; `auto` by default if there are tools. */
  readonly toolChoice?: 'auto' | 'required' | 'none'
  readonly sampling?: SamplingSettings
  readonly maxOutputTokens?: number
  readonly signal?: AbortSignal
  /**
   * Called when an attempt has failed, and again when the next one starts, so that callers can measure the
   * delay.
   */
  readonly onDelay?: (error: RemediumError) => void
}

export interface ModelAnswer {
  /** The text of the answer, without tool calls that were parsed from it. */
  readonly text: string
  /** The text as the model wrote it, if calls were parsed from it. */
  readonly rawText?: string
  /** The text of the model's reasoning, if the provider sends it. */
  readonly reasoning?: string
  readonly toolCalls: readonly ToolCall[]
  /** As counted by the provider, over all attempts that it answered. */
  readonly usage: TokenUsage
  /** In US dollars; absent if the price is unknown. */
  readonly costUsd?: number
  /** `text` if the tools were described in the system message; absent if they were offered through the tool interface. */
  readonly toolMode?: 'text'
  readonly finish: 'stop' | 'tool-calls' | 'length' | 'refused' | 'other'
  /** The number of attempts, at least 1. */
  readonly tries: number
  readonly milliseconds: number
}

export interface LanguageModel {
  /** `provider:name`, as requested. */
  readonly name: string
  /**
   * Rejects with the blame `provider` if the model is unavailable, and with the signal's reason if it is
   * aborted.
   */
  ask(request: ModelRequest): Promise<ModelAnswer>
}

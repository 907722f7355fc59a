/** A language model: the port through which agents ask one, whoever provides it. */
import type { RemediumError } from './errors.ts'

export interface ToolCall {
  /** The provider's own, by which its answer is found again. */
  readonly id: string
  readonly name: string
  /** What the model wrote as arguments; not yet checked against anything. */
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

/** A tool as a model is told of it. */
export interface ToolDescription {
  readonly name: string
  readonly about: string
  /** JSON Schema of an object. */
  readonly input: Readonly<Record<string, unknown>>
}

export interface TokenUsage {
  readonly input: number
  readonly output: number
  /** Of the input, what the provider had in its cache. */
  readonly cachedInput?: number
  /** Of the output, what the model thought to itself. */
  readonly reasoning?: number
}

export interface ModelRequest {
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly ToolDescription[]
  /** Whether it must call a tool; `auto` where absent and there are tools. */
  readonly toolChoice?: 'auto' | 'required' | 'none'
  readonly temperature?: number
  readonly mostOutputTokens?: number
  readonly signal?: AbortSignal
  /** Told when a try has come to nothing, and again when the next one begins: until then the time was lost. */
  readonly onDelay?: (error: RemediumError) => void
}

export interface ModelAnswer {
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  /** As the provider counted it, over all tries that it answered. */
  readonly usage: TokenUsage
  /** In US dollars; absent where the price is not known. */
  readonly costUsd?: number
  readonly finish: 'stop' | 'tool-calls' | 'length' | 'refused' | 'other'
  /** How many times it had to be asked, 1 or more. */
  readonly tries: number
  readonly milliseconds: number
}

/** Rejects with blame `provider` when the model cannot be had, and with the signal's reason when it is aborted. */
export interface LanguageModel {
  /** `provider:name`, as it was asked for. */
  readonly name: string
  ask(request: ModelRequest): Promise<ModelAnswer>
}

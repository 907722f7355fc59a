/** Makes one attempt to ask a model through the AI SDK. */
import type { LanguageModelUsage } from 'ai'
import type { OpenedModel, ProviderOptions } from '#examinee/models/providers'
import { defined, lazily } from '#kit'
import type { ModelAnswer, ModelRequest, TokenUsage, ToolCall } from '#spec'
import type { SettingWarning } from './ignored-setting.ts'
import { type Signatures, toSdkMessages, toSdkTools } from './sdk-messages.ts'
import { fromSdkUsage, readCost } from './usage.ts'

/** The answer of one attempt. `usage` is absent if the provider did not report it. */
export interface AttemptAnswer
  extends Pick<ModelAnswer, 'text' | 'rawText' | 'reasoning' | 'toolCalls' | 'toolMode' | 'finish'> {
  readonly usage?: TokenUsage
  /** As reported by the provider. */
  readonly costUsd?: number
  /** Warnings of the SDK about settings that were not sent or were changed. */
  readonly warnings: readonly SettingWarning[]
}

/** An error in a stream that had already reported its token usage. */
export class BrokenStreamError extends Error {
  override readonly name = 'BrokenStream'
  readonly usage: TokenUsage | undefined
  readonly costUsd: number | undefined
  constructor(cause: unknown, usage: TokenUsage | undefined, costUsd: number | undefined) {
    super('the stream ended with an error', { cause })
    this.usage = usage
    this.costUsd = costUsd
  }
}

/** Loads the SDK on the first call, because it is large. */
const loadSdk = lazily(() => {
  // Otherwise the SDK prints warnings into the output of commands.
  ;(globalThis as { AI_SDK_LOG_WARNINGS?: unknown }).AI_SDK_LOG_WARNINGS = false
  return import('ai')
})

/** If there are more signatures than this, the oldest one is dropped. */
const MAX_SIGNATURES = 2000

export const createSignatures = () => {
  const byCallId = new Map<string, Record<string, Record<string, string>>>()
  return {
    byCallId: byCallId as Signatures,
    note(id: string, metadata: unknown): void {
      for (const [provider, values] of Object.entries((metadata ?? {}) as Record<string, unknown>)) {
        const signature = (values as { thoughtSignature?: unknown } | null)?.thoughtSignature
        if (typeof signature === 'string') byCallId.set(id, { [provider]: { thoughtSignature: signature } })
      }
      if (byCallId.size > MAX_SIGNATURES) byCallId.delete(byCallId.keys().next().value!)
    },
  }
}

const FINISH_REASONS: Readonly<Record<string, ModelAnswer['finish']>> = {
  stop: 'stop',
  'tool-calls': 'tool-calls',
  length: 'length',
  'content-filter': 'refused',
}

interface AnswerParts {
  text: string
  reasoning: string
  warnings: readonly SettingWarning[]
  calls: { toolCallId: string; toolName: string; input: unknown; providerMetadata?: unknown }[]
  finish: string
  usage: LanguageModelUsage | undefined
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>
type Settings = Parameters<Sdk['generateText']>[0]

/** Separates the parts of the reasoning, which some providers send in several parts. */
const PARAGRAPH = '\n\n'

const askComplete = async (sdk: Sdk, settings: Settings): Promise<AnswerParts> => {
  const { finalStep, warnings } = await sdk.generateText(settings)
  const { text, toolCalls, finishReason, usage } = finalStep
  const reasoning = finalStep.reasoning.flatMap((part) => (part.type === 'reasoning' ? part.text : []))
  return {
    text,
    reasoning: reasoning.join(PARAGRAPH),
    warnings: warnings ?? [],
    calls: [...toolCalls],
    finish: finishReason,
    usage,
  }
}

const askStreaming = async (
  sdk: Sdk,
  settings: Settings,
  { signal, onPiece }: Pick<AttemptOptions, 'signal' | 'onPiece'>,
): Promise<AnswerParts> => {
  const parts: AnswerParts = {
    text: '',
    reasoning: '',
    warnings: [],
    calls: [],
    finish: 'other',
    usage: undefined,
  }
  let streamError: { error: unknown } | undefined
  const { fullStream } = sdk.streamText({
    ...(settings as Parameters<Sdk['streamText']>[0]),
    onError: () => {},
  })
  for await (const part of fullStream) {
    onPiece()
    if (part.type === 'text-delta') parts.text += part.text
    else if (part.type === 'reasoning-delta') parts.reasoning += part.text
    else if (part.type === 'reasoning-start' && parts.reasoning !== '') parts.reasoning += PARAGRAPH
    else if (part.type === 'start-step') parts.warnings = part.warnings
    else if (part.type === 'tool-call') parts.calls.push(part)
    else if (part.type === 'error') streamError ??= { error: part.error }
    else if (part.type === 'finish-step') {
      parts.finish = part.finishReason
      parts.usage = part.usage
    }
  }
  signal.throwIfAborted()
  const usage = fromSdkUsage(parts.usage)
  if (streamError !== undefined)
    throw usage === undefined
      ? streamError.error
      : new BrokenStreamError(streamError.error, usage, readCost(parts.usage?.raw))
  return parts
}

export interface AttemptOptions {
  readonly model: OpenedModel
  readonly signatures: ReturnType<typeof createSignatures>
  readonly streams: boolean
  readonly providerOptions?: ProviderOptions | undefined
  readonly signal: AbortSignal
  /** Called when a part of a streamed answer has arrived. */
  onPiece(): void
}

export const askOnce = async (request: ModelRequest, options: AttemptOptions): Promise<AttemptAnswer> => {
  const sdk = await loadSdk()
  const tools = request.tools ?? []
  const settings: Settings = {
    model: options.model,
    ...toSdkMessages(request.messages, options.signatures.byCallId),
    ...(tools.length === 0
      ? {}
      : { tools: toSdkTools(tools, sdk), toolChoice: request.toolChoice ?? 'auto' }),
    ...request.sampling,
    ...defined({ maxOutputTokens: request.maxOutputTokens, providerOptions: options.providerOptions }),
    abortSignal: options.signal,
    maxRetries: 0,
    telemetry: { isEnabled: false },
  }
  const { text, reasoning, warnings, calls, finish, usage } = options.streams
    ? await askStreaming(sdk, settings, options)
    : await askComplete(sdk, settings)
  for (const { toolCallId, providerMetadata } of calls) options.signatures.note(toolCallId, providerMetadata)
  const toolCalls: ToolCall[] = calls.map(({ toolCallId, toolName, input }) => ({
    id: toolCallId,
    name: toolName,
    input,
  }))
  return {
    text,
    ...(reasoning === '' ? {} : { reasoning }),
    toolCalls,
    warnings,
    finish: toolCalls.length > 0 && finish !== 'length' ? 'tool-calls' : (FINISH_REASONS[finish] ?? 'other'),
    ...defined({ usage: fromSdkUsage(usage), costUsd: readCost(usage?.raw) }),
  }
}

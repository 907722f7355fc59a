/** One try: a request goes to the provider through the AI SDK, and an answer or an error comes back. */
import type { LanguageModelUsage } from 'ai'
import { lazily } from '../kit/index.ts'
import type { ModelAnswer, ModelRequest, TokenUsage, ToolCall } from '../spec/index.ts'
import type { OpenedModel } from './providers/index.ts'
import { type Signatures, toSdkMessages, toSdkTools } from './sdk-messages.ts'
import { costIn, fromSdkUsage } from './usage.ts'

/** What came of it; `usage` is absent where the provider did not say. */
export interface Tried extends Pick<ModelAnswer, 'text' | 'toolCalls' | 'finish'> {
  readonly usage?: TokenUsage
  /** As the provider itself tells it. */
  readonly costUsd?: number
}

/** An error of a stream that had already told how many tokens it took. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream'
  readonly usage: TokenUsage | undefined
  readonly costUsd: number | undefined
  constructor(cause: unknown, usage: TokenUsage | undefined, costUsd: number | undefined) {
    super('the stream ended with an error', { cause })
    this.usage = usage
    this.costUsd = costUsd
  }
}

/** The SDK is large, so it is loaded when the first model is asked. */
const loadSdk = lazily(() => {
  // It would print warnings among the output of commands.
  ;(globalThis as { AI_SDK_LOG_WARNINGS?: unknown }).AI_SDK_LOG_WARNINGS = false
  return import('ai')
})

/** Signatures of calls longer ago than so many are forgotten. */
const REMEMBERED_CALLS = 2000

export const createSignatures = () => {
  const kept = new Map<string, Record<string, Record<string, string>>>()
  return {
    kept: kept as Signatures,
    note(id: string, metadata: unknown): void {
      for (const [provider, values] of Object.entries((metadata ?? {}) as Record<string, unknown>)) {
        const signature = (values as { thoughtSignature?: unknown } | null)?.thoughtSignature
        if (typeof signature === 'string') kept.set(id, { [provider]: { thoughtSignature: signature } })
      }
      if (kept.size > REMEMBERED_CALLS) kept.delete(kept.keys().next().value!)
    },
  }
}

const FINISHES: Readonly<Record<string, ModelAnswer['finish']>> = {
  stop: 'stop',
  'tool-calls': 'tool-calls',
  length: 'length',
  'content-filter': 'refused',
}

interface Pieces {
  text: string
  calls: { toolCallId: string; toolName: string; input: unknown; providerMetadata?: unknown }[]
  finish: string
  usage: LanguageModelUsage | undefined
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>
type Settings = Parameters<Sdk['generateText']>[0]

const askPlain = async (sdk: Sdk, settings: Settings): Promise<Pieces> => {
  const { text, toolCalls, finishReason, usage } = await sdk.generateText(settings)
  return { text, calls: [...toolCalls], finish: finishReason, usage }
}

const askStreaming = async (
  sdk: Sdk,
  settings: Settings,
  { signal, onPiece }: Pick<Once, 'signal' | 'onPiece'>,
): Promise<Pieces> => {
  const pieces: Pieces = { text: '', calls: [], finish: 'other', usage: undefined }
  let broken: { error: unknown } | undefined
  const { fullStream } = sdk.streamText({
    ...(settings as Parameters<Sdk['streamText']>[0]),
    onError: () => {},
  })
  for await (const part of fullStream) {
    onPiece()
    if (part.type === 'text-delta') pieces.text += part.text
    else if (part.type === 'tool-call') pieces.calls.push(part)
    else if (part.type === 'error') broken ??= { error: part.error }
    else if (part.type === 'finish-step') {
      pieces.finish = part.finishReason
      pieces.usage = part.usage
    }
  }
  signal.throwIfAborted()
  const usage = fromSdkUsage(pieces.usage)
  if (broken !== undefined)
    throw usage === undefined
      ? broken.error
      : new BrokenStream(broken.error, usage, costIn(pieces.usage?.raw))
  return pieces
}

export interface Once {
  readonly model: OpenedModel
  readonly signatures: ReturnType<typeof createSignatures>
  readonly streams: boolean
  readonly signal: AbortSignal
  /** Called when part of the answer has come. */
  onPiece(): void
}

export const askOnce = async (request: ModelRequest, once: Once): Promise<Tried> => {
  const sdk = await loadSdk()
  const tools = request.tools ?? []
  const settings: Settings = {
    model: once.model,
    ...toSdkMessages(request.messages, once.signatures.kept),
    ...(tools.length === 0
      ? {}
      : { tools: toSdkTools(tools, sdk), toolChoice: request.toolChoice ?? 'auto' }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.mostOutputTokens === undefined ? {} : { maxOutputTokens: request.mostOutputTokens }),
    abortSignal: once.signal,
    maxRetries: 0,
    telemetry: { isEnabled: false },
  }
  const { text, calls, finish, usage } = once.streams
    ? await askStreaming(sdk, settings, once)
    : await askPlain(sdk, settings)
  for (const { toolCallId, providerMetadata } of calls) once.signatures.note(toolCallId, providerMetadata)
  const toolCalls: ToolCall[] = calls.map(({ toolCallId, toolName, input }) => ({
    id: toolCallId,
    name: toolName,
    input,
  }))
  const counted = fromSdkUsage(usage)
  const costUsd = costIn(usage?.raw)
  return {
    text,
    toolCalls,
    finish: toolCalls.length > 0 && finish !== 'length' ? 'tool-calls' : (FINISHES[finish] ?? 'other'),
    ...(counted === undefined ? {} : { usage: counted }),
    ...(costUsd === undefined ? {} : { costUsd }),
  }
}

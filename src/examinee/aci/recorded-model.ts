/** Wraps a language model: records every call, and counts its tokens, cost and delays. */
import { deepEqual, defined, monotonicMs } from '#kit'
import {
  type ChatMessage,
  type LanguageModel,
  type ModelAnswer,
  RemediumError,
  type SamplingSettings,
  type SolverContext,
  type ToolDescription,
} from '#spec'
import type { Delays } from './delays.ts'
import type { Spending } from './spending.ts'

export interface RecordedModelOptions {
  readonly role: string
  readonly model: LanguageModel
  readonly context: Pick<SolverContext, 'record' | 'signal' | 'waitOutside'>
  readonly spending: Spending
  readonly delays: Delays
  /** Takes precedence over the agent's. */
  readonly sampling?: SamplingSettings | undefined
  /** Called when a call has failed and the agent is not to blame. */
  onFailure(error: RemediumError): void
  /** Called when a call was answered. */
  onAnswer(): void
}

/** Converts an answer to the message by which the next request repeats it. */
const toMessage = ({ text, toolCalls }: ModelAnswer): ChatMessage => ({
  role: 'assistant',
  content: text,
  ...(toolCalls.length === 0 ? {} : { toolCalls }),
})

const isSameMessage = (a: ChatMessage, b: ChatMessage): boolean => {
  const normalise = (message: ChatMessage): ChatMessage =>
    message.role === 'assistant' && message.toolCalls?.length === 0
      ? { role: 'assistant', content: message.content }
      : message
  return deepEqual(normalise(a), normalise(b))
}

/** Whether a request repeats an earlier message. Tool results are compared by id: agents may shorten old ones. */
const isRepeated = (now: ChatMessage | undefined, before: ChatMessage): boolean =>
  now !== undefined &&
  (now.role === 'tool' && before.role === 'tool'
    ? now.toolCallId === before.toolCallId
    : isSameMessage(now, before))

export const recordedModel = (options: RecordedModelOptions): LanguageModel => {
  const { role, model, context, spending } = options
  /** The messages of the last request, and its answer. A request that does not continue them is recorded in full. */
  let lastMessages: readonly ChatMessage[] = []
  let recordedTools: readonly ToolDescription[] = []
  return {
    name: model.name,
    async ask(request) {
      context.signal.throwIfAborted()
      const signal =
        request.signal === undefined ? context.signal : AbortSignal.any([request.signal, context.signal])
      const { messages, tools = [] } = request
      const isContinued =
        lastMessages.length > 0 && lastMessages.every((before, index) => isRepeated(messages[index], before))
      const lastCount = lastMessages.length
      const delay = options.delays.begin()
      const startedAt = monotonicMs()
      /** The time until the last failed attempt had failed. */
      let lostMs = 0
      const onDelay = (error: RemediumError): void => {
        delay.note(error)
        lostMs = monotonicMs() - startedAt
      }
      try {
        const sampling = options.sampling ?? request.sampling
        const asking = model.ask({ ...request, ...defined({ sampling }), signal, onDelay })
        const answer = await context.waitOutside(asking, ({ milliseconds }) =>
          Math.max(0, milliseconds - lostMs),
        )
        spending.add(answer)
        lastMessages = [...messages, toMessage(answer)]
        context.record({
          type: 'model-called',
          role,
          model: model.name,
          ...(isContinued ? { messages: messages.slice(lastCount) } : { messages, startsConversation: true }),
          tools: tools.map(({ name }) => name),
          ...(tools.length === 0 || deepEqual(tools, recordedTools) ? {} : { toolDefinitions: tools }),
          ...defined({ sampling }),
          answer,
        })
        if (tools.length > 0) recordedTools = tools
        options.onAnswer()
        return answer
      } catch (error) {
        context.signal.throwIfAborted()
        if (error instanceof RemediumError && error.blame !== 'agent') {
          delay.note(error)
          options.onFailure(error)
        }
        throw error
      } finally {
        delay.end()
      }
    },
  }
}

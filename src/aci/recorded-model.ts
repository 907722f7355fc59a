/** A language model whose every call is written into the record and counted. */
import { deepEqual } from '../kit/index.ts'
import {
  type ChatMessage,
  type LanguageModel,
  type ModelAnswer,
  RemediumError,
  type SolverContext,
} from '../spec/index.ts'
import type { Delays } from './delays.ts'
import type { Spending } from './spending.ts'

export interface RecordedModelOptions {
  readonly role: string
  readonly model: LanguageModel
  readonly context: Pick<SolverContext, 'record' | 'signal'>
  readonly spending: Spending
  readonly delays: Delays
  /** Told of a call that failed by somebody else's fault. */
  onFailure(error: RemediumError): void
  /** Told of a call that was answered. */
  onAnswer(): void
}

/** What it said comes back in the next request, and is not said once more in the record. */
const toMessage = ({ text, toolCalls }: ModelAnswer): ChatMessage => ({
  role: 'assistant',
  content: text,
  ...(toolCalls.length === 0 ? {} : { toolCalls }),
})

const isSame = (one: ChatMessage, other: ChatMessage): boolean => {
  const plain = (message: ChatMessage): ChatMessage =>
    message.role === 'assistant' && message.toolCalls?.length === 0
      ? { role: 'assistant', content: message.content }
      : message
  return deepEqual(plain(one), plain(other))
}

/** Of what a model was told long ago agents may leave something out. */
const isTold = (now: ChatMessage | undefined, before: ChatMessage): boolean =>
  now !== undefined &&
  (now.role === 'tool' && before.role === 'tool' ? now.toolCallId === before.toolCallId : isSame(now, before))

export const recordedModel = (options: RecordedModelOptions): LanguageModel => {
  const { role, model, context, spending } = options
  /** The last conversation of this part, with its answer. One that does not go on from there is recorded from its beginning. */
  let known: readonly ChatMessage[] = []
  return {
    name: model.name,
    async ask(request) {
      context.signal.throwIfAborted()
      const signal =
        request.signal === undefined ? context.signal : AbortSignal.any([request.signal, context.signal])
      const { messages, tools = [] } = request
      const goesOn = known.length > 0 && known.every((before, index) => isTold(messages[index], before))
      const told = known.length
      const asked = options.delays.begin()
      try {
        const answer = await model.ask({ ...request, signal, onDelay: asked.note })
        spending.add(answer)
        known = [...messages, toMessage(answer)]
        context.record({
          type: 'model-called',
          role,
          model: model.name,
          ...(goesOn ? { messages: messages.slice(told) } : { messages, begins: true }),
          tools: tools.map(({ name }) => name),
          answer,
        })
        options.onAnswer()
        return answer
      } catch (error) {
        context.signal.throwIfAborted()
        if (error instanceof RemediumError && error.blame !== 'agent') {
          asked.note(error)
          options.onFailure(error)
        }
        throw error
      } finally {
        asked.end()
      }
    },
  }
}

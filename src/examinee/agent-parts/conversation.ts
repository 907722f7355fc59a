/** A conversation with a language model, kept within a maximum length. */
import { defined } from '#kit'
import type { ChatMessage, LanguageModel, ModelAnswer, ToolCall, ToolDescription } from '#spec'

export interface ConversationOptions {
  /** If the conversation is longer than this, old observations are shortened. */
  readonly maxCharacters: number
  readonly maxOutputTokens?: number | undefined
  readonly signal: AbortSignal
}

export interface Conversation {
  readonly messages: readonly ChatMessage[]
  say(text: string): void
  /** Adds the result of a tool call. Every call of an answer needs a result before the next request. */
  observe(call: ToolCall, text: string): void
  ask(tools: readonly ToolDescription[]): Promise<ModelAnswer>
}

/** The length to which old observations are shortened. */
const SHORTENED_CHARACTERS = 300
/** This many of the newest observations are never shortened. */
const MIN_COMPLETE_OBSERVATIONS = 3

const countCharacters = (message: ChatMessage): number =>
  message.content.length + (message.role === 'assistant' ? JSON.stringify(message.toolCalls ?? []).length : 0)

const shorten = (message: ChatMessage): ChatMessage => {
  const omitted = message.content.length - SHORTENED_CHARACTERS
  if (omitted <= SHORTENED_CHARACTERS) return message
  const note = `[${omitted} characters of this old observation were removed. Repeat the call if you need them.]`
  return { ...message, content: `${message.content.slice(0, SHORTENED_CHARACTERS)}\n${note}` }
}

/**
 * Shortens old observations, oldest first, until the messages are well below the limit, so that the next
 * requests need no shortening.
 */
export const fitMessages = (messages: readonly ChatMessage[], maxCharacters: number): ChatMessage[] => {
  const fitted = [...messages]
  let characters = fitted.reduce((sum, message) => sum + countCharacters(message), 0)
  if (characters <= maxCharacters) return fitted
  const observations = fitted
    .map((message, index) => ({ message, index }))
    .filter(({ message }) => message.role === 'tool')
    .slice(0, -MIN_COMPLETE_OBSERVATIONS)
  for (const { message, index } of observations) {
    if (characters <= maxCharacters * 0.6) break
    fitted[index] = shorten(message)
    characters -= message.content.length - fitted[index].content.length
  }
  return fitted
}

/** Drops the fields that are not sent to the model. */
const toTool = ({ name, about, input }: ToolDescription): ToolDescription => ({ name, about, input })

export const createConversation = (
  model: LanguageModel,
  system: string,
  { maxCharacters, maxOutputTokens, signal }: ConversationOptions,
): Conversation => {
  let messages: ChatMessage[] = [{ role: 'system', content: system }]
  return {
    get messages() {
      return messages
    },
    say(content) {
      messages.push({ role: 'user', content })
    },
    observe({ id, name }, content) {
      messages.push({ role: 'tool', content, toolCallId: id, toolName: name })
    },
    async ask(tools) {
      messages = fitMessages(messages, maxCharacters)
      const answer = await model.ask({
        messages: [...messages],
        ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
        ...defined({ maxOutputTokens }),
        signal,
      })
      const { text: content, toolCalls } = answer
      messages.push({ role: 'assistant', content, ...(toolCalls.length === 0 ? {} : { toolCalls }) })
      return answer
    },
  }
}

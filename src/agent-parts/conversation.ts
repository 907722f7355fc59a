/** A conversation with a language model that does not outgrow what the model can read. */
import type { ChatMessage, LanguageModel, ModelAnswer, ToolCall, ToolDescription } from '../spec/index.ts'

export interface ConversationOptions {
  /** Letters beyond which old observations are shortened. */
  readonly mostLetters: number
  readonly mostOutputTokens?: number | undefined
  readonly signal: AbortSignal
}

export interface Conversation {
  readonly messages: readonly ChatMessage[]
  say(text: string): void
  /** What came of a tool call; every call of an answer must get one before the next question. */
  observe(call: ToolCall, text: string): void
  ask(tools: readonly ToolDescription[]): Promise<ModelAnswer>
}

/** So much is left of an old observation. */
const LETTERS_LEFT = 300
/** The newest observations stay whole. */
const KEPT_WHOLE = 3

const lettersOf = (message: ChatMessage): number =>
  message.content.length + (message.role === 'assistant' ? JSON.stringify(message.toolCalls ?? []).length : 0)

const shortened = (message: ChatMessage): ChatMessage => {
  const left = message.content.length - LETTERS_LEFT
  if (left <= LETTERS_LEFT) return message
  const note = `[${left} letters of this are left out here, being long ago; look again if you need them.]`
  return { ...message, content: `${message.content.slice(0, LETTERS_LEFT)}\n${note}` }
}

/** Shortens from the oldest on until well below the limit, so that it does not have to be done each time. */
export const fitMessages = (messages: readonly ChatMessage[], mostLetters: number): ChatMessage[] => {
  const fitted = [...messages]
  let letters = fitted.reduce((sum, message) => sum + lettersOf(message), 0)
  if (letters <= mostLetters) return fitted
  const observations = fitted
    .map((message, index) => ({ message, index }))
    .filter(({ message }) => message.role === 'tool')
    .slice(0, -KEPT_WHOLE)
  for (const { message, index } of observations) {
    if (letters <= mostLetters * 0.6) break
    fitted[index] = shortened(message)
    letters -= message.content.length - fitted[index].content.length
  }
  return fitted
}

/** Only what a model has to know of a tool. */
const toTool = ({ name, about, input }: ToolDescription): ToolDescription => ({ name, about, input })

export const createConversation = (
  model: LanguageModel,
  system: string,
  { mostLetters, mostOutputTokens, signal }: ConversationOptions,
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
      messages = fitMessages(messages, mostLetters)
      const answer = await model.ask({
        messages: [...messages],
        ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
        ...(mostOutputTokens === undefined ? {} : { mostOutputTokens }),
        signal,
      })
      const { text: content, toolCalls } = answer
      messages.push({ role: 'assistant', content, ...(toolCalls.length === 0 ? {} : { toolCalls }) })
      return answer
    },
  }
}

/** Tool calls for models that have no interface for them: tools are described in words, calls are written and read back. */
import type { ChatMessage, ModelRequest, ToolCall, ToolDescription } from '../spec/index.ts'
import type { Tried } from './ask-once.ts'
import { parseTextCalls } from './parse-text-calls.ts'

const writeCall = ({ name, input }: Pick<ToolCall, 'name' | 'input'>): string =>
  ['```json', JSON.stringify({ tool: name, input }), '```'].join('\n')

const describe = ({ name, about, input }: ToolDescription): string =>
  `- ${name}: ${about}\n  input: ${JSON.stringify(input)}`

/** What the model is told of its tools and how to call them. */
const manual = (tools: readonly ToolDescription[], choice: ModelRequest['toolChoice']): string =>
  [
    'You act by tools. To call one, say first in a sentence or two what you think, and then write a fenced block:',
    writeCall({ name: tools[0]!.name, input: { parameter: 'value' } }),
    'The block holds one JSON object with "tool" and "input" and nothing else; line breaks in texts are written \\n.',
    'Several blocks are several calls. Stop after the last block: the results come with the next message, and you',
    'never write them yourself.',
    ...(choice === 'required' ? ['Every answer of yours must hold at least one call.'] : []),
    'The tools:',
    ...tools.map(describe),
  ].join('\n')

const toText = (message: ChatMessage): ChatMessage => {
  if (message.role === 'tool')
    return { role: 'user', content: `Result of ${message.toolName}:\n${message.content}` }
  if (message.role !== 'assistant' || message.toolCalls === undefined) return message
  const content = [message.content, ...message.toolCalls.map(writeCall)].filter((part) => part !== '')
  return { role: 'assistant', content: content.join('\n\n') }
}

/** Templates of many models want users and assistants to take turns. */
const joinTurns = (messages: readonly ChatMessage[]): ChatMessage[] => {
  const joined: ChatMessage[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (last?.role === 'user' && message.role === 'user')
      joined[joined.length - 1] = { role: 'user', content: `${last.content}\n\n${message.content}` }
    else joined.push(message)
  }
  return joined
}

/** The same request without tools. */
export const toTextRequest = ({ tools = [], toolChoice, ...request }: ModelRequest): ModelRequest => {
  const messages = joinTurns(request.messages.map(toText))
  if (tools.length === 0 || toolChoice === 'none') return { ...request, messages }
  const told: ChatMessage = { role: 'system', content: manual(tools, toolChoice) }
  const at = messages.findIndex(({ role }) => role !== 'system')
  return { ...request, messages: messages.toSpliced(at === -1 ? messages.length : at, 0, told) }
}

/** The answer with the calls that its text holds; ids follow from the place in the conversation. */
export const fromTextAnswer = (tried: Tried, request: ModelRequest): Tried => {
  const { calls, rest } = parseTextCalls(tried.text, request.tools ?? [])
  if (calls.length === 0 || request.toolChoice === 'none') return tried
  const place = request.messages.length
  const toolCalls = calls.map((call, index) => ({ id: `text-${place}-${index}`, ...call }))
  return { ...tried, text: rest, toolCalls, finish: tried.finish === 'length' ? 'length' : 'tool-calls' }
}

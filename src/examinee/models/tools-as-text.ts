/** Tool calls as text, for models without a tool interface: describes the tools in the prompt and parses calls from answers. */
import type { ChatMessage, ModelRequest, ToolCall, ToolDescription } from '#spec'
import type { AttemptAnswer } from './ask-once.ts'
import { parseTextCalls } from './parse-text-calls.ts'

const formatCall = ({ name, input }: Pick<ToolCall, 'name' | 'input'>): string =>
  ['```json', JSON.stringify({ tool: name, input }), '```'].join('\n')

const describeTool = ({ name, about, input }: ToolDescription): string =>
  `- ${name}: ${about}\n  input: ${JSON.stringify(input)}`

/** The system message that describes the tools and how to call them. */
const describeTools = (tools: readonly ToolDescription[], choice: ModelRequest['toolChoice']): string =>
  [
    'You can call tools. To call a tool, first explain your reasoning in one or two sentences. Then write a fenced code block',
    'in this form, with the name and the input of the tool:',
    formatCall({ name: tools[0]!.name, input: { parameter: 'value' } }),
    'The block contains exactly one JSON object with the fields "tool" and "input". Write line breaks inside strings as \\n.',
    'To make several calls, write several blocks. End your response after the last block. The next message contains the',
    'results; do not write results yourself.',
    ...(choice === 'required' ? ['Every response must contain at least one call.'] : []),
    'Tools:',
    ...tools.map(describeTool),
  ].join('\n')

const toTextMessage = (message: ChatMessage): ChatMessage => {
  if (message.role === 'tool')
    return { role: 'user', content: `Result of ${message.toolName}:\n${message.content}` }
  if (message.role !== 'assistant' || message.toolCalls === undefined) return message
  const content = [message.content, ...message.toolCalls.map(formatCall)].filter((part) => part !== '')
  return { role: 'assistant', content: content.join('\n\n') }
}

/** Joins consecutive user messages, because the chat templates of many models require alternating roles. */
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

/** Converts a request with tools to one without: tools and calls become text. */
export const toTextRequest = ({ tools = [], toolChoice, ...request }: ModelRequest): ModelRequest => {
  const messages = joinTurns(request.messages.map(toTextMessage))
  if (tools.length === 0 || toolChoice === 'none') return { ...request, messages }
  const instructions: ChatMessage = { role: 'system', content: describeTools(tools, toolChoice) }
  const index = messages.findIndex(({ role }) => role !== 'system')
  return { ...request, messages: messages.toSpliced(index === -1 ? messages.length : index, 0, instructions) }
}

/** Parses calls from the text of an answer. Their ids are derived from the position in the conversation. */
export const fromTextAnswer = (answer: AttemptAnswer, request: ModelRequest): AttemptAnswer => {
  const { calls, rest } = parseTextCalls(answer.text, request.tools ?? [])
  if (calls.length === 0 || request.toolChoice === 'none') return answer
  const position = request.messages.length
  const toolCalls = calls.map((call, index) => ({ id: `text-${position}-${index}`, ...call }))
  const finish = answer.finish === 'length' ? 'length' : 'tool-calls'
  return { ...answer, text: rest, rawText: answer.text, toolCalls, finish }
}

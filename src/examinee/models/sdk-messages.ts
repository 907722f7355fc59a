/** Converts messages and tools to the types of the AI SDK. */
import type { ModelMessage, ToolSet } from 'ai'
import { defined, isPlainObject } from '#kit'
import type { ChatMessage, ToolCall, ToolDescription } from '#spec'

/** Data that the provider requires back with a tool call, such as a thought signature, by the id of the call. */
export type Signatures = ReadonlyMap<string, Record<string, Record<string, string>>>

type Jsonable = { [key: string]: Jsonable } | readonly Jsonable[] | string | number | boolean | null

/** Wraps arguments that are not an object, because endpoints fail on them. */
const toInput = (input: unknown): Record<string, Jsonable> =>
  isPlainObject(input) ? (input as Record<string, Jsonable>) : { malformed: String(input) }

/** Replaces an empty turn, which some endpoints reject. */
const EMPTY_TURN = '(no answer)'

const toCallPart = (call: ToolCall, signatures: Signatures) => {
  const signature = signatures.get(call.id)
  return {
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.name,
    input: toInput(call.input),
    ...defined({ providerOptions: signature }),
  }
}

const toMessage = (message: ChatMessage, signatures: Signatures): ModelMessage => {
  if (message.role === 'tool') {
    const { toolCallId, toolName, content } = message
    const output = { type: 'text' as const, value: content }
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }
  }
  if (message.role !== 'assistant') return { role: 'user', content: message.content }
  const calls = message.toolCalls ?? []
  if (calls.length === 0)
    return { role: 'assistant', content: message.content.trim() === '' ? EMPTY_TURN : message.content }
  const text = message.content === '' ? [] : [{ type: 'text' as const, text: message.content }]
  return { role: 'assistant', content: [...text, ...calls.map((call) => toCallPart(call, signatures))] }
}

/** Leading system messages become instructions. Later ones, which the SDK does not accept, become user messages. */
export const toSdkMessages = (messages: readonly ChatMessage[], signatures: Signatures) => {
  const firstOther = messages.findIndex(({ role }) => role !== 'system')
  const systemMessages = firstOther === -1 ? messages : messages.slice(0, firstOther)
  const instructions = systemMessages.map(({ content }) => content).join('\n\n')
  return {
    ...(instructions === '' ? {} : { instructions }),
    messages: messages.slice(systemMessages.length).map((message) => toMessage(message, signatures)),
  }
}

/** The tools have no implementation: the agent performs the calls. */
export const toSdkTools = (
  tools: readonly ToolDescription[],
  { jsonSchema, tool }: Pick<typeof import('ai'), 'jsonSchema' | 'tool'>,
): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, about, input }) => [
      name,
      tool({ description: about, inputSchema: jsonSchema(input as Parameters<typeof jsonSchema>[0]) }),
    ]),
  )

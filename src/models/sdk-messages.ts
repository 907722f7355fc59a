/** Our messages and tools in the words of the AI SDK. */
import type { ModelMessage, ToolSet } from 'ai'
import type { ChatMessage, ToolCall, ToolDescription } from '../spec/index.ts'

/** What a provider wants to see again with a tool call that its model made, such as a signature of its thoughts. */
export type Signatures = ReadonlyMap<string, Record<string, Record<string, string>>>

type Jsonable = { [key: string]: Jsonable } | readonly Jsonable[] | string | number | boolean | null

const isRecord = (value: unknown): value is Record<string, Jsonable> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Endpoints crash on arguments that are no object, so what a model wrote instead goes back inside one. */
const inputOf = (input: unknown): Record<string, Jsonable> =>
  isRecord(input) ? input : { malformed: String(input) }

/** Some endpoints refuse a conversation in which a turn is empty. */
const SILENT = '(no answer)'

const toCallPart = (call: ToolCall, signatures: Signatures) => {
  const signature = signatures.get(call.id)
  return {
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.name,
    input: inputOf(call.input),
    ...(signature === undefined ? {} : { providerOptions: signature }),
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
    return { role: 'assistant', content: message.content.trim() === '' ? SILENT : message.content }
  const text = message.content === '' ? [] : [{ type: 'text' as const, text: message.content }]
  return { role: 'assistant', content: [...text, ...calls.map((call) => toCallPart(call, signatures))] }
}

/** System messages at the beginning are instructions; the SDK takes none later, so those are the user's. */
export const toSdkMessages = (messages: readonly ChatMessage[], signatures: Signatures) => {
  const first = messages.findIndex(({ role }) => role !== 'system')
  const head = first === -1 ? messages : messages.slice(0, first)
  const instructions = head.map(({ content }) => content).join('\n\n')
  return {
    ...(instructions === '' ? {} : { instructions }),
    messages: messages.slice(head.length).map((message) => toMessage(message, signatures)),
  }
}

/** Nothing here runs them: that is for the agent. */
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

/** Converts a trajectory to conversations with the roles of OpenAI's API, for `datasets` and TRL. */
import { defined } from '#kit'
import type { ToolCall } from '#spec'
import { type ConversationTurn, toConversations } from './to-conversations.ts'
import { toToolDefinition } from './to-tool-definition.ts'
import type { Trajectory } from './to-trajectory.ts'

export interface MessagesRow {
  readonly id: string
  readonly messages: readonly object[]
  /** JSON text, so that rows with different tool schemas have the same columns. */
  readonly tools: string
  readonly metadata: object
}

const toCall = ({ id, name, input }: ToolCall): object => ({
  id,
  type: 'function',
  function: { name, arguments: input },
})

const toMessage = (turn: ConversationTurn): object => {
  const { role, content } = turn
  if (turn.role === 'tool') return { role, content, tool_call_id: turn.toolCallId, name: turn.toolName }
  if (turn.role !== 'assistant') return { role, content }
  return {
    role,
    content,
    ...defined({ reasoning_content: turn.reasoning, tool_calls: turn.toolCalls?.map(toCall) }),
  }
}

export const toMessages = (trajectory: Trajectory, id: string): readonly MessagesRow[] =>
  toConversations(trajectory, id).map(({ turns, tools, ...conversation }) => ({
    id: conversation.id,
    messages: turns.map(toMessage),
    tools: JSON.stringify(tools.map(toToolDefinition)),
    metadata: conversation.metadata,
  }))

/** Converts a trajectory to conversations in the format of ShareGPT, as LLaMA-Factory reads it. */
import type { ToolCall } from '#spec'
import { type ConversationTurn, type TrainingConversation, toConversations } from './to-conversations.ts'
import { toToolDefinition } from './to-tool-definition.ts'
import type { Trajectory } from './to-trajectory.ts'

interface ShareGptTurn {
  readonly from: 'system' | 'human' | 'gpt' | 'function_call' | 'observation'
  readonly value: string
}

export interface ShareGptConversation {
  readonly id: string
  readonly conversations: readonly ShareGptTurn[]
  /** JSON text; `[]` if no tools were offered. */
  readonly tools: string
  readonly metadata: object
}

const TAGS = ['<tool_call>', '</tool_call>']

/**
 * Writes one list for all calls, because LLaMA-Factory reads only the first tag. Escapes `<`, because LLaMA-Factory searches
 * the whole text for tags.
 */
const toCallsText = (calls: readonly ToolCall[]): string =>
  JSON.stringify(calls.map(({ name, input }) => ({ name, arguments: input }))).replaceAll('<', '\\u003c')

/** Reasoning comes first, between the tags that LLaMA-Factory uses by default. */
const toAnswer = ({
  content,
  toolCalls = [],
  reasoning,
}: ConversationTurn & { role: 'assistant' }): ShareGptTurn => {
  const text = `${reasoning === undefined ? '' : `<think>\n${reasoning}\n</think>\n\n`}${content}`
  if (toolCalls.length === 0) return { from: 'gpt', value: text }
  const calls = toCallsText(toolCalls)
  const value = text === '' ? calls : `${text.trimEnd()}\n${TAGS.join(calls)}`
  return { from: 'function_call', value }
}

/** Joins the input turns between two answers into one, which is an observation if it starts with the result of a call. */
const toTurns = (turns: readonly ConversationTurn[]): ShareGptTurn[] => {
  const joined: ShareGptTurn[] = []
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      joined.push(toAnswer(turn))
      continue
    }
    const last = joined.at(-1)
    const isInput = last?.from === 'human' || last?.from === 'observation'
    if (isInput) joined[joined.length - 1] = { ...last, value: `${last.value}\n\n${turn.content}` }
    else if (turn.role === 'system') joined.push({ from: 'system', value: turn.content })
    else joined.push({ from: turn.role === 'tool' ? 'observation' : 'human', value: turn.content })
  }
  return joined
}

/** Whether the turn is an answer with calls whose own text contains a call tag. LLaMA-Factory cannot read such an answer. */
const isUnreadable = (turn: ConversationTurn): boolean =>
  turn.role === 'assistant' &&
  turn.toolCalls !== undefined &&
  TAGS.some((tag) => `${turn.reasoning}${turn.content}`.includes(tag))

/** Ends the conversation with the last answer before an unreadable one. */
const toReadable = (conversation: TrainingConversation): TrainingConversation => {
  const { turns, metadata } = conversation
  const index = turns.findIndex(isUnreadable)
  if (index === -1) return conversation
  const isAnswer = ({ role }: ConversationTurn): boolean => role === 'assistant'
  const missing = turns.slice(index).filter(isAnswer).length
  return {
    ...conversation,
    turns: turns.slice(0, turns.slice(0, index).findLastIndex(isAnswer) + 1),
    metadata: { ...metadata, missingAnswers: Number(metadata.missingAnswers) + missing },
  }
}

export const toShareGpt = (trajectory: Trajectory, id: string): readonly ShareGptConversation[] =>
  toConversations(trajectory, id)
    .map(toReadable)
    .filter(({ turns }) => turns.length > 0)
    .map(({ id, turns, tools, metadata }) => ({
      id,
      conversations: toTurns(turns),
      tools: JSON.stringify(tools.map(toToolDefinition)),
      metadata,
    }))

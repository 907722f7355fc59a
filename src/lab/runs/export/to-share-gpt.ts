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
  /** JSON; `[]` without tools. */
  readonly tools: string
  readonly metadata: object
}

const TAGS = ['<tool_call>', '</tool_call>']

/** One list for all calls: LLaMA-Factory reads the first tag only. `<` is escaped, because it searches for tags in the text. */
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

/** Turns of the input between two answers become one. It is an observation if it contains the result of a call. */
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

/** An answer with calls whose text contains a tag of calls itself. LLaMA-Factory cannot read it. */
const isUnreadable = (turn: ConversationTurn): boolean =>
  turn.role === 'assistant' &&
  turn.toolCalls !== undefined &&
  TAGS.some((tag) => `${turn.reasoning}${turn.content}`.includes(tag))

/** Ends before an answer that cannot be read. */
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

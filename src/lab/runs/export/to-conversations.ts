/** Splits a trajectory into the conversations that trainers accept: a system message, then input and answers in turn. */
import { toTextRequest } from '#examinee/models'
import { defined, isPlainObject } from '#kit'
import type { ChatMessage, ToolDescription } from '#spec'
import type { TrajectoryStep } from './collect-steps.ts'
import type { Trajectory } from './to-trajectory.ts'

/** A message; `reasoning` is set on an answer if the model returned its reasoning. */
export type ConversationTurn = ChatMessage & { readonly reasoning?: string }

export interface TrainingConversation {
  /** The name of the trajectory; `NAME/ROLE-NUMBER` if it has several conversations. */
  readonly id: string
  /** At most one system message, at the beginning. The last turn is an answer. */
  readonly turns: readonly ConversationTurn[]
  /** Every tool that was offered in the conversation; empty if tools were described in the system message. */
  readonly tools: readonly ToolDescription[]
  readonly metadata: Readonly<Record<string, unknown>>
}

interface Draft {
  readonly role?: string | undefined
  readonly number?: number | undefined
  readonly steps: TrajectoryStep[]
}

/** Omits steps that belong to no conversation with a model, unless the agent has no model. */
const splitSteps = ({ steps, hasModel }: Trajectory): readonly Draft[] => {
  if (!hasModel) return [{ steps: [...steps] }]
  const drafts: Draft[] = []
  for (const step of steps) {
    const { role, conversation: number } = step
    if (number === undefined) continue
    const draft = drafts.find((other) => other.role === role && other.number === number)
    if (draft === undefined) drafts.push({ role, number, steps: [step] })
    else draft.steps.push(step)
  }
  return drafts
}

/** Omits an observation that no model read, unless the agent has no model. */
const toTurns = ({ source, text, reasoning, calls, model, toolMode }: TrajectoryStep): ConversationTurn[] => {
  if (source !== 'agent') return [{ role: source, content: text }]
  const toolCalls = calls.map(({ id, name, input }) => ({ id, name, input }))
  const hasCalls = toolCalls.length > 0 && toolMode !== 'text'
  return [
    { role: 'assistant', content: text, ...(hasCalls ? { toolCalls } : {}), ...defined({ reasoning }) },
    ...calls.flatMap(({ id, name, observation, isRead }): ConversationTurn[] =>
      observation === undefined || (model !== undefined && !isRead)
        ? []
        : [{ role: 'tool', content: observation, toolCallId: id, toolName: name }],
    ),
  ]
}

/** Joins a thought of an agent without a model with the agent's next turn. */
const joinThoughts = (turns: readonly ConversationTurn[]): ConversationTurn[] => {
  const joined: ConversationTurn[] = []
  for (const turn of turns) {
    const last = joined.at(-1)
    const isThought = last?.role === 'assistant' && last.toolCalls === undefined
    if (turn.role === 'assistant' && isThought)
      joined[joined.length - 1] = { ...turn, content: `${last.content}\n${turn.content}`.trim() }
    else joined.push(turn)
  }
  return joined
}

/** Joins the leading system messages. Later ones become user messages: they were sent to the model as such. */
const joinSystem = (turns: readonly ConversationTurn[]): ConversationTurn[] => {
  const first = turns.findIndex(({ role }) => role !== 'system')
  const count = first === -1 ? turns.length : first
  const system = turns.slice(0, count).map(({ content }) => content)
  return [
    ...(count === 0 ? [] : [{ role: 'system' as const, content: system.join('\n\n') }]),
    ...turns
      .slice(count)
      .map((turn) => (turn.role === 'system' ? { role: 'user' as const, content: turn.content } : turn)),
  ]
}

/** Whether the input starts with one result for each call of the previous answer, and contains no other results. */
const answersCalls = (
  input: readonly ConversationTurn[],
  previous: ConversationTurn | undefined,
): boolean => {
  const expected = previous?.role === 'assistant' ? (previous.toolCalls ?? []).map(({ id }) => id) : []
  const results = input.flatMap((turn) => (turn.role === 'tool' ? turn.toolCallId : []))
  const areFirst = input.slice(0, results.length).every(({ role }) => role === 'tool')
  return areFirst && results.length === expected.length && expected.every((id) => results.includes(id))
}

/** Whether the arguments of all calls are objects. Chat templates fail on other values. */
const isWritable = (turn: ConversationTurn): boolean =>
  turn.role !== 'assistant' || (turn.toolCalls ?? []).every(({ input }) => isPlainObject(input))

/**
 * Returns the longest prefix in which input and single answers alternate. It ends with an answer, or is empty
 * if there is no answer.
 */
const keepAlternating = (turns: readonly ConversationTurn[]): readonly ConversationTurn[] => {
  let length = 0
  let answer: ConversationTurn | undefined
  let input: ConversationTurn[] = []
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'system') continue
    if (turn.role !== 'assistant') {
      input.push(turn)
      continue
    }
    if (input.length === 0 || !answersCalls(input, answer) || !isWritable(turn)) break
    length = index + 1
    answer = turn
    input = []
  }
  return turns.slice(0, length)
}

/** Joins the tools of all steps; the last definition of a name counts. */
const joinTools = (steps: readonly TrajectoryStep[]): ToolDescription[] => [
  ...new Map(steps.flatMap(({ tools = [] }) => tools).map((tool) => [tool.name, tool])).values(),
]

const countAnswers = (turns: readonly ConversationTurn[]): number =>
  turns.filter(({ role }) => role === 'assistant').length

const toConversation = ({ role, steps }: Draft): Pick<TrainingConversation, 'turns' | 'tools'> => {
  const offered = joinTools(steps)
  const allTurns = steps.flatMap(toTurns)
  const messages = role === undefined ? joinThoughts(allTurns) : allTurns
  const isText = steps.some(({ toolMode }) => toolMode === 'text')
  const turns = isText ? toTextRequest({ messages, tools: offered }).messages : messages
  return { turns: keepAlternating(joinSystem(turns)), tools: isText ? [] : offered }
}

const describe = ({ role, steps }: Draft, turns: readonly ConversationTurn[]): Record<string, unknown> => {
  const answers = steps.filter(({ source }) => source === 'agent')
  return {
    ...defined({ role, model: answers.findLast(({ model }) => model !== undefined)?.model }),
    ...defined({ sampling: answers.findLast(({ sampling }) => sampling !== undefined)?.sampling }),
    /** Answers that reached the maximum length or that the provider stopped. */
    incompleteAnswers: answers.filter(({ finish }) => finish === 'length' || finish === 'refused').length,
    /** Model answers at the end that cannot be exported, or that follow turns which are not in the record. */
    missingAnswers: Math.max(
      0,
      answers.filter(({ model }) => model !== undefined).length - countAnswers(turns),
    ),
    isClipped: steps.some(({ isClipped }) => isClipped === true),
  }
}

/** Returns the conversations in the order in which they started. Omits conversations without an answer. */
export const toConversations = (trajectory: Trajectory, id: string): readonly TrainingConversation[] => {
  const { solver, problem, task, system, verdict } = trajectory
  const drafts = splitSteps(trajectory)
  return drafts.flatMap((draft): TrainingConversation[] => {
    const { turns, tools } = toConversation(draft)
    if (turns.length === 0) return []
    return [
      {
        id: drafts.length === 1 ? id : `${id}/${draft.role}-${draft.number}`,
        turns,
        tools,
        metadata: {
          ...{ agent: solver, problem, task, system },
          ...defined({ outcome: verdict?.outcome }),
          ...describe(draft, turns),
        },
      },
    ]
  })
}

/** Collects the steps of one record: messages, answers with their calls and observations, thoughts, and other actions. */
import { defined, isPlainObject } from '#kit'
import type {
  ChatMessage,
  EpisodeEvent,
  ModelAnswer,
  SamplingSettings,
  TokenUsage,
  ToolDescription,
} from '#spec'

export interface TrajectoryCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** The observation as the model read it, or as the action returned it if no model read it. Absent if the episode ended first. */
  observation?: string
  /** Whether a message returned the observation to the model. */
  isRead?: true
  /** Whether the observation of the action was shortened in the record. */
  isClipped?: true
}

export interface TrajectoryStep {
  readonly source: 'system' | 'user' | 'agent'
  /** Milliseconds since the epoch. */
  readonly time: number
  /** The role of the agent; absent if it has none. */
  readonly role?: string
  /** The number of the conversation of that role, from 1; absent if the step belongs to no conversation with a model. */
  readonly conversation?: number
  /** The unchanged text of a model or an agent. If tools were offered as text, it contains the calls. */
  readonly text: string
  readonly reasoning?: string
  /** `provider:name`; absent if the text is not an answer of a model. */
  readonly model?: string
  readonly calls: readonly TrajectoryCall[]
  /** The tools that were offered to the model; absent if the record does not contain them. */
  readonly tools?: readonly ToolDescription[]
  readonly toolMode?: 'text'
  readonly sampling?: SamplingSettings
  readonly finish?: ModelAnswer['finish']
  readonly usage?: TokenUsage
  readonly costUsd?: number
  readonly isClipped?: true
}

type EventOf<T extends EpisodeEvent['type']> = Extract<EpisodeEvent, { type: T }>

/** The end of a text that was shortened. Older records do not mark their events. */
const OMISSION = /(?:^|\n)\(\d+ characters omitted\)$/

const clippedMark = (isClipped: true | undefined, ...texts: readonly string[]): { isClipped?: true } =>
  isClipped || texts.some((text) => OMISSION.test(text)) ? { isClipped: true } : {}

/** Whether an answer contains the thought: many agents note the last answer of their model as a thought. */
const containsThought = ({ text, toolCalls }: ModelAnswer, thought: string): boolean =>
  text.includes(thought) ||
  toolCalls.some(({ input }) =>
    Object.values(isPlainObject(input) ? input : {}).some(
      (value) => typeof value === 'string' && value.trim() === thought,
    ),
  )

/** The state of one role of the agent. */
interface RoleState {
  conversations: number
  /** The tools that were offered last. */
  tools?: readonly ToolDescription[] | undefined
  lastAnswer?: ModelAnswer
  /** Calls without an observation. */
  pending: TrajectoryCall[]
}

interface Thoughts {
  readonly role: string | undefined
  readonly texts: string[]
  isClipped?: true
}

/** Converts the answer of a model; `place` is its position in the trajectory. */
const toAnswerStep = (
  { model, messages, sampling, answer, ...event }: EventOf<'model-called'>,
  place: Pick<TrajectoryStep, 'time' | 'role' | 'conversation' | 'tools'>,
): TrajectoryStep => {
  const { reasoning, toolMode, finish, usage, costUsd } = answer
  const text = toolMode === 'text' ? (answer.rawText ?? answer.text) : answer.text
  return {
    source: 'agent',
    ...place,
    text,
    model,
    calls: answer.toolCalls.map(({ id, name, input }): TrajectoryCall => ({ id, name, input })),
    usage,
    finish,
    ...defined({ reasoning, toolMode, sampling, costUsd }),
    ...clippedMark(event.isClipped, text, ...messages.map(({ content }) => content)),
  }
}

/** If the message returns the result of a pending call to the model, stores it; the call is then no longer pending. */
const storeResult = (pending: TrajectoryCall[], message: ChatMessage): void => {
  if (message.role !== 'tool') return
  // An earlier conversation with unanswered calls may use the same id.
  const index = pending.findLastIndex(({ id }) => id === message.toolCallId)
  if (index < 0) return
  Object.assign(pending[index]!, { observation: message.content, isRead: true })
  pending.splice(index, 1)
}

export const createStepCollector = (startTime: number) => {
  const steps: TrajectoryStep[] = []
  const roles = new Map<string, RoleState>()
  let lastAnswer: { readonly calls: readonly TrajectoryCall[] } = { calls: [] }
  let thoughts: Thoughts = { role: undefined, texts: [] }
  let actions = 0

  const stateOf = (role: string): RoleState => {
    const state = roles.get(role) ?? { conversations: 0, pending: [] }
    roles.set(role, state)
    return state
  }

  /** Adds a step of the agent's own program: the thoughts that it noted, and the action that follows them. */
  const addProgramStep = (at: number, calls: readonly TrajectoryCall[], isClipped?: true): void => {
    const { role, texts } = thoughts
    if (texts.length === 0 && calls.length === 0) return
    steps.push({
      source: 'agent',
      time: startTime + at,
      ...defined({ role }),
      text: texts.join('\n'),
      calls,
      ...clippedMark(isClipped ?? thoughts.isClipped, ...texts),
    })
    thoughts = { role: undefined, texts: [] }
  }

  return {
    steps,
    addPrompt(at: number, source: 'system' | 'user', text: string, tools?: readonly ToolDescription[]): void {
      steps.push({ source, time: startTime + at, text, calls: [], ...defined({ tools }) })
    },
    addThought({ at, role, thought, isClipped }: EventOf<'thought-noted'>): void {
      const text = thought.trim()
      const states = role === undefined ? [...roles.values()] : [stateOf(role)]
      if (states.some(({ lastAnswer }) => lastAnswer !== undefined && containsThought(lastAnswer, text)))
        return
      if (thoughts.role !== role) addProgramStep(at, [])
      const mark = clippedMark(isClipped ?? thoughts.isClipped)
      thoughts = { role, texts: [...thoughts.texts, thought], ...mark }
    },
    addModelCall(event: EventOf<'model-called'>): void {
      const { at, role, messages, answer } = event
      addProgramStep(at, [])
      const state = stateOf(role)
      if (event.startsConversation || state.conversations === 0) state.conversations += 1
      const place = { time: startTime + at, role, conversation: state.conversations }
      for (const message of messages) {
        const { role: source, content } = message
        if (source === 'system' || source === 'user')
          steps.push({ source, ...place, text: content, calls: [] })
        else storeResult(state.pending, message)
      }
      state.tools = event.toolDefinitions ?? state.tools
      state.lastAnswer = answer
      const tools = event.tools.length === 0 ? [] : state.tools
      const step = toAnswerStep(event, { ...place, ...defined({ tools }) })
      steps.push(step)
      lastAnswer = step
      state.pending.push(...step.calls)
    },
    addAction({ at, action, input, observation, isClipped }: EventOf<'step-taken'>): void {
      // Searches only the calls of the last answer: older open calls with this name were never executed.
      const requested = lastAnswer.calls.find(
        (call) => call.name === action && call.observation === undefined,
      )
      // The message to the model, whose wording often differs, replaces this observation later.
      if (requested !== undefined)
        Object.assign(requested, { observation, ...clippedMark(isClipped, observation) })
      else {
        actions += 1
        const call = { id: `action-${actions}`, name: action, input, observation }
        addProgramStep(at, [call], clippedMark(isClipped, observation).isClipped)
      }
    },
    end: (at: number): void => addProgramStep(at, []),
  }
}

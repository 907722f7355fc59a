/** Converts a record to a trajectory: messages, calls and observations in order. All exports are derived from it. */
import { defined } from '#kit'
import type { ChatMessage, EpisodeEvent, TokenUsage, Verdict } from '#spec'
import { RemediumError } from '#spec'

export interface TrajectoryCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** The observation as the model read it, otherwise as the action returned it; absent if the episode ended before. */
  observation?: string
}

export interface TrajectoryStep {
  readonly source: 'system' | 'user' | 'agent'
  /** Milliseconds since the epoch. */
  readonly time: number
  /** The role of the agent; absent without a model. */
  readonly role?: string
  /** The number of the conversation of that role, from 1. */
  readonly conversation?: number
  text: string
  /** `provider:name`; absent without a model. */
  readonly model?: string
  readonly calls: readonly TrajectoryCall[]
  readonly usage?: TokenUsage
  readonly costUsd?: number
}

export interface Trajectory {
  readonly problem: string
  readonly system: string
  readonly task: string
  readonly solver: string
  readonly steps: readonly TrajectoryStep[]
  /** Absent if the episode was not judged. */
  readonly verdict?: Verdict
}

type ModelCalled = Extract<EpisodeEvent, { type: 'model-called' }>
type StepTaken = Extract<EpisodeEvent, { type: 'step-taken' }>

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Collects the steps of one record. An action that no model requested becomes a separate step. */
const createCollector = (startTime: number) => {
  const steps: TrajectoryStep[] = []
  const pending: { readonly role: string; readonly call: TrajectoryCall }[] = []
  /** The number of conversations of each role. */
  const conversations = new Map<string, number>()
  let thoughts: string[] = []
  let actions = 0

  const answer = (role: string, message: ChatMessage): void => {
    if (message.role !== 'tool') return
    // Another role, or an earlier conversation with unanswered calls, may use the same id.
    const at = pending.findLastIndex((one) => one.role === role && one.call.id === message.toolCallId)
    if (at < 0) return
    pending[at]!.call.observation = message.content
    pending.splice(at, 1)
  }

  const enterConversation = ({ role, startsConversation = false }: ModelCalled) => {
    const count = conversations.get(role) ?? 0
    const conversation = startsConversation || count === 0 ? count + 1 : count
    conversations.set(role, conversation)
    return { role, conversation }
  }

  return {
    steps,
    addThought(text: string): void {
      // Many agents note what their model has just written.
      const last = steps.findLast(({ source }) => source === 'agent')
      if (last?.model === undefined || !last.text.includes(text.trim())) thoughts.push(text)
    },
    addReport(at: number, text: string): void {
      steps.push({ source: 'user', time: startTime + at, text, calls: [] })
    },
    addModelCall(event: ModelCalled): void {
      const { at, role, model, messages, answer: given } = event
      const where = enterConversation(event)
      for (const message of messages) {
        const { role: source, content } = message
        if (source === 'system' || source === 'user')
          steps.push({ source, time: startTime + at, ...where, text: content, calls: [] })
        else answer(role, message)
      }
      thoughts = []
      const { text, toolCalls, usage, costUsd } = given
      const calls = toolCalls.map(({ id, name, input }) => ({ id, name, input }))
      steps.push({
        source: 'agent',
        time: startTime + at,
        ...where,
        text,
        model,
        calls,
        usage,
        ...defined({ costUsd }),
      })
      pending.push(...calls.map((call) => ({ role, call })))
    },
    addStep({ at, action, input, observation }: StepTaken): void {
      // Only calls of the last answer: older open calls with this name were never executed.
      const { calls: open = [] } = steps.findLast(({ model }) => model !== undefined) ?? {}
      const requested = open.find((call) => call.name === action && call.observation === undefined)
      if (requested !== undefined) {
        // Replaced by the message to the model, which often has another wording.
        requested.observation = observation
        return
      }
      actions += 1
      const call = { id: `action-${actions}`, name: action, input, observation }
      steps.push({ source: 'agent', time: startTime + at, text: thoughts.join('\n'), calls: [call] })
      thoughts = []
    },
    end(at: number): void {
      if (thoughts.length > 0)
        steps.push({ source: 'agent', time: startTime + at, text: thoughts.join('\n'), calls: [] })
      thoughts = []
    },
  }
}

/** Throws if the record has no start. */
export const toTrajectory = (events: readonly EpisodeEvent[]): Trajectory => {
  const started = events.find((event) => event.type === 'episode-started')
  if (started === undefined) throw new RemediumError('bad-file', 'The record has no event episode-started.')
  const collector = createCollector(started.time)
  const hasModel = events.some(({ type }) => type === 'model-called')
  let verdict: Verdict | undefined
  for (const event of events) {
    // With a model, the agent's prompt contains the report.
    if (event.type === 'report-given' && !hasModel) collector.addReport(event.at, event.text)
    else if (event.type === 'thought-noted') collector.addThought(event.thought)
    else if (event.type === 'model-called') collector.addModelCall(event)
    else if (event.type === 'step-taken') collector.addStep(event)
    else if (event.type === 'solver-ended') collector.end(event.at)
    else if (event.type === 'verdict-given') verdict = event.verdict
  }
  const { problem, solver } = started
  return {
    problem: problem.id,
    system: problem.system,
    task: problem.task,
    solver,
    steps: collector.steps,
    ...defined({ verdict }),
  }
}

/** Formats a call as text, for formats without calls. */
export const callText = ({ name, input }: TrajectoryCall): string =>
  `<tool_call>\n${toText({ name, arguments: input })}\n</tool_call>`

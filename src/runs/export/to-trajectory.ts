/** What was said and done in an episode, in order, read from its record: what all exports are made of. */
import type { ChatMessage, EpisodeEvent, TokenUsage, Verdict } from '../../spec/index.ts'
import { RemediumError } from '../../spec/index.ts'

export interface TrajectoryCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** What came of it, in the words that the model read where it was told; absent where the episode ended before. */
  observation?: string
}

export interface TrajectoryStep {
  readonly source: 'system' | 'user' | 'agent'
  /** Milliseconds since the epoch. */
  readonly time: number
  /** Which part of the agent said it or was told; absent where no model was asked. */
  readonly role?: string
  /** Which of that part's conversations, from 1. */
  readonly conversation?: number
  text: string
  /** `provider:name`; absent where no model was asked. */
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
  /** Absent of an episode that was never judged. */
  readonly verdict?: Verdict
}

type Called = Extract<EpisodeEvent, { type: 'model-called' }>
type Taken = Extract<EpisodeEvent, { type: 'step-taken' }>

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Follows one record; what an agent did by itself becomes a step of its own. */
const createWriter = (began: number) => {
  const steps: TrajectoryStep[] = []
  const waiting: { readonly role: string; readonly call: TrajectoryCall }[] = []
  /** How many conversations each part has had. */
  const talks = new Map<string, number>()
  let thoughts: string[] = []
  let made = 0

  const answer = (role: string, message: ChatMessage): void => {
    if (message.role !== 'tool') return
    // Ids may be those of another part's calls, or of an earlier conversation's that were never answered.
    const at = waiting.findLastIndex((one) => one.role === role && one.call.id === message.toolCallId)
    if (at < 0) return
    waiting[at]!.call.observation = message.content
    waiting.splice(at, 1)
  }

  const enter = ({ role, begins = false }: Called): { role: string; conversation: number } => {
    const had = talks.get(role) ?? 0
    const conversation = begins || had === 0 ? had + 1 : had
    talks.set(role, conversation)
    return { role, conversation }
  }

  return {
    steps,
    thought(text: string): void {
      // Many agents say once more what their model has said.
      const last = steps.findLast(({ source }) => source === 'agent')
      if (last?.model === undefined || !last.text.includes(text.trim())) thoughts.push(text)
    },
    reported(at: number, text: string): void {
      steps.push({ source: 'user', time: began + at, text, calls: [] })
    },
    called(event: Called): void {
      const { at, role, model, messages, answer: given } = event
      const where = enter(event)
      for (const message of messages) {
        const { role: source, content: said } = message
        if (source === 'system' || source === 'user')
          steps.push({ source, time: began + at, ...where, text: said, calls: [] })
        else answer(role, message)
      }
      thoughts = []
      const { text, toolCalls, usage, costUsd } = given
      const calls = toolCalls.map(({ id, name, input }) => ({ id, name, input }))
      steps.push({
        source: 'agent',
        time: began + at,
        ...where,
        text,
        model,
        calls,
        usage,
        ...(costUsd === undefined ? {} : { costUsd }),
      })
      waiting.push(...calls.map((call) => ({ role, call })))
    },
    took({ at, action, input, observation }: Taken): void {
      // Older calls of that name were never carried out: a part may end with its report beside another call.
      const { calls: open = [] } = steps.findLast(({ model }) => model !== undefined) ?? {}
      const asked = open.find((call) => call.name === action && call.observation === undefined)
      if (asked !== undefined) {
        // Until its model is told, often in other words.
        asked.observation = observation
        return
      }
      made += 1
      const call = { id: `action-${made}`, name: action, input, observation }
      steps.push({ source: 'agent', time: began + at, text: thoughts.join('\n'), calls: [call] })
      thoughts = []
    },
    end(at: number): void {
      if (thoughts.length > 0)
        steps.push({ source: 'agent', time: began + at, text: thoughts.join('\n'), calls: [] })
      thoughts = []
    },
  }
}

/** Throws of what is no record. */
export const toTrajectory = (events: readonly EpisodeEvent[]): Trajectory => {
  const began = events.find((event) => event.type === 'episode-began')
  if (began === undefined)
    throw new RemediumError('bad-file', 'The record does not say how its episode began.')
  const writer = createWriter(began.time)
  const hasModel = events.some(({ type }) => type === 'model-called')
  let verdict: Verdict | undefined
  for (const event of events) {
    // A model is told by its agent, in words of the agent's.
    if (event.type === 'report-given' && !hasModel) writer.reported(event.at, event.text)
    else if (event.type === 'thought-noted') writer.thought(event.thought)
    else if (event.type === 'model-called') writer.called(event)
    else if (event.type === 'step-taken') writer.took(event)
    else if (event.type === 'solver-ended') writer.end(event.at)
    else if (event.type === 'verdict-given') verdict = event.verdict
  }
  const { problem, solver } = began
  return {
    problem: problem.id,
    system: problem.system,
    task: problem.task,
    solver,
    steps: writer.steps,
    ...(verdict === undefined ? {} : { verdict }),
  }
}

/** A call as text, for formats that have no place for it. */
export const callText = ({ name, input }: TrajectoryCall): string =>
  `<tool_call>\n${toText({ name, arguments: input })}\n</tool_call>`

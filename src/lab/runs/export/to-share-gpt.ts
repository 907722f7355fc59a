/** Converts a trajectory to conversations in the format of ShareGPT, one for each conversation of a role. */
import { defined } from '#kit'
import { callText, type Trajectory, type TrajectoryStep } from './to-trajectory.ts'

interface Turn {
  readonly from: 'system' | 'human' | 'gpt' | 'tool'
  readonly value: string
}

interface ShareGptConversation {
  readonly id: string
  readonly conversations: readonly Turn[]
  readonly metadata: object
}

const toTurns = ({ source, text, calls }: TrajectoryStep): Turn[] => {
  if (source !== 'agent') return [{ from: source === 'user' ? 'human' : 'system', value: text }]
  const value = [text, ...calls.map(callText)].filter((part) => part !== '').join('\n')
  const observed = calls.flatMap(({ observation }) => observation ?? [])
  return [
    { from: 'gpt', value },
    ...(observed.length === 0 ? [] : [{ from: 'tool', value: observed.join('\n\n') } as const]),
  ]
}

/** Joins consecutive turns of the same speaker: training programs expect alternating speakers. */
const joinTurns = (turns: readonly Turn[]): Turn[] => {
  const joined: Turn[] = []
  for (const turn of turns) {
    const last = joined.at(-1)
    if (last?.from === turn.from)
      joined[joined.length - 1] = { ...last, value: `${last.value}\n\n${turn.value}` }
    else joined.push(turn)
  }
  return joined
}

interface Conversation {
  /** Undefined if no model was called. */
  readonly role?: string | undefined
  readonly number?: number | undefined
  readonly steps: readonly TrajectoryStep[]
}

/** A step without a model belongs to the conversation before it; it is dropped if the agent has several roles. */
const splitConversations = (steps: readonly TrajectoryStep[]): readonly Conversation[] => {
  const roles = new Set(steps.flatMap(({ role }) => role ?? []))
  const found: (Conversation & { readonly steps: TrajectoryStep[] })[] = []
  for (const step of steps) {
    const { role, conversation: number } = step
    const hasNoModel = role === undefined && roles.size > 0
    if (hasNoModel && roles.size > 1) continue
    const current = hasNoModel
      ? found.at(-1)
      : found.find((one) => one.role === role && one.number === number)
    if (current !== undefined) current.steps.push(step)
    else if (!hasNoModel) found.push({ role, number, steps: [step] })
  }
  return found
}

/** In the order of their start. A single conversation has the id `id`; several have `id/ROLE-NUMBER`. */
export const toShareGpt = (trajectory: Trajectory, id: string): readonly ShareGptConversation[] => {
  const { solver, problem, task, system, verdict } = trajectory
  const conversations = splitConversations(trajectory.steps)
  return conversations.map(({ role, number, steps }) => ({
    id: conversations.length === 1 ? id : `${id}/${role}-${number}`,
    conversations: joinTurns(steps.flatMap(toTurns)),
    metadata: {
      agent: solver,
      problem,
      task,
      system,
      ...defined({ role, outcome: verdict?.outcome }),
    },
  }))
}

/** A trajectory as conversations in the form that ShareGPT's data sets have: one for each that a part of the agent had. */
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
  const said = [text, ...calls.map(callText)].filter((part) => part !== '').join('\n')
  const observed = calls.flatMap(({ observation }) => observation ?? [])
  return [
    { from: 'gpt', value: said },
    ...(observed.length === 0 ? [] : [{ from: 'tool', value: observed.join('\n\n') } as const]),
  ]
}

/** Trainers want the speakers to take turns. */
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

interface Talk {
  /** Absent where no model was asked. */
  readonly role?: string | undefined
  readonly number?: number | undefined
  readonly steps: readonly TrajectoryStep[]
}

/** What agents do without a model belongs to their conversation before it; where they have several parts, to none. */
const talksIn = (steps: readonly TrajectoryStep[]): readonly Talk[] => {
  const parts = new Set(steps.flatMap(({ role }) => role ?? []))
  const talks: (Talk & { readonly steps: TrajectoryStep[] })[] = []
  for (const step of steps) {
    const { role, conversation: number } = step
    const isOwn = role === undefined && parts.size > 0
    if (isOwn && parts.size > 1) continue
    const talk = isOwn ? talks.at(-1) : talks.find((one) => one.role === role && one.number === number)
    if (talk !== undefined) talk.steps.push(step)
    else if (!isOwn) talks.push({ role, number, steps: [step] })
  }
  return talks
}

/** In the order in which they began; one alone is called `id`, of several each has its part and its number behind that. */
export const toShareGpt = (trajectory: Trajectory, id: string): readonly ShareGptConversation[] => {
  const { solver, problem, task, system, verdict } = trajectory
  const talks = talksIn(trajectory.steps)
  return talks.map(({ role, number, steps }) => ({
    id: talks.length === 1 ? id : `${id}/${role}-${number}`,
    conversations: joinTurns(steps.flatMap(toTurns)),
    metadata: {
      agent: solver,
      ...(role === undefined ? {} : { role }),
      problem,
      task,
      system,
      ...(verdict === undefined ? {} : { outcome: verdict.outcome }),
    },
  }))
}

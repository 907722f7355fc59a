/** A trajectory as a conversation in the form that ShareGPT's data sets have. */
import { callText, type Trajectory, type TrajectoryStep } from './to-trajectory.ts'

interface Turn {
  readonly from: 'system' | 'human' | 'gpt' | 'tool'
  readonly value: string
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

export const toShareGpt = (trajectory: Trajectory, id: string): object => {
  const { steps, solver, problem, task, system, verdict } = trajectory
  return {
    id,
    conversations: joinTurns(steps.flatMap(toTurns)),
    metadata: {
      ...{ agent: solver, problem, task, system },
      ...(verdict === undefined ? {} : { outcome: verdict.outcome }),
    },
  }
}

/** Converts a record to a trajectory: messages, calls and observations in order. All exports are derived from it. */
import { describeBriefing, describeWork } from '#examinee/agent-parts'
import { defined } from '#kit'
import { type Briefing, type EpisodeEvent, RemediumError, type ToolDescription, type Verdict } from '#spec'
import { createStepCollector, type TrajectoryCall, type TrajectoryStep } from './collect-steps.ts'

export interface Trajectory {
  readonly problem: string
  readonly system: string
  readonly task: string
  readonly solver: string
  /** Whether a model was called. */
  readonly hasModel: boolean
  readonly steps: readonly TrajectoryStep[]
  /** Absent if the episode was not judged. */
  readonly verdict?: Verdict
}

type EventOf<T extends EpisodeEvent['type']> = Extract<EpisodeEvent, { type: T }>

interface Assignment {
  readonly briefing: Briefing
  /** Absent from older records. */
  readonly actions?: readonly ToolDescription[]
}

/** Returns the briefing and the actions of an agent without a model. For older records, the briefing is derived from the problem. */
const findAssignment = (events: readonly EpisodeEvent[], started: EventOf<'episode-started'>): Assignment => {
  const offered = events.find((event) => event.type === 'actions-offered')
  if (offered !== undefined) return offered
  const { system, task, report: kind, budget } = started.problem
  const report = events.find((event) => event.type === 'report-given')
  return { briefing: { task, system, namespace: system, report: { kind, text: report?.text ?? '' }, budget } }
}

/** Throws if the record has no `episode-started` event. */
export const toTrajectory = (events: readonly EpisodeEvent[]): Trajectory => {
  const started = events.find((event) => event.type === 'episode-started')
  if (started === undefined) throw new RemediumError('bad-file', 'The record has no episode-started event.')
  const collector = createStepCollector(started.time)
  const hasModel = events.some(({ type }) => type === 'model-called')
  let verdict: Verdict | undefined
  for (const event of events) {
    if (event.type === 'solver-started' && !hasModel) {
      const { briefing, actions } = findAssignment(events, started)
      collector.addPrompt(event.at, 'system', describeWork(briefing), actions)
      collector.addPrompt(event.at, 'user', describeBriefing(briefing))
    } else if (event.type === 'thought-noted') collector.addThought(event)
    else if (event.type === 'model-called') collector.addModelCall(event)
    else if (event.type === 'step-taken') collector.addAction(event)
    else if (event.type === 'solver-ended') collector.end(event.at)
    else if (event.type === 'verdict-given') verdict = event.verdict
  }
  const { problem, solver } = started
  return {
    problem: problem.id,
    system: problem.system,
    task: problem.task,
    solver,
    hasModel,
    steps: collector.steps,
    ...defined({ verdict }),
  }
}

/** Formats a call as text, for formats without calls. */
export const callText = ({ name, input }: TrajectoryCall): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`

/** Derives the result of an episode from its record. */
import { defined } from '#kit'
import { stageTimesOf } from '#lab/records'
import {
  type EpisodeEvent,
  type EpisodeResult,
  type Fault,
  type Holds,
  type Judgement,
  RemediumError,
} from '#spec'
import type { PlannedEpisode } from './plan-episodes.ts'

export type FinishedEpisode = Omit<EpisodeResult, 'tries' | 'failures'>

const commonFieldsOf = (
  { episode, problem, contender, epoch, suite }: PlannedEpisode,
  faults: ReadonlyMap<string, Fault>,
) => ({
  episode,
  problem: problem.id,
  system: problem.system,
  task: problem.task,
  faults: problem.faults.map(({ fault }) => fault),
  categories: [...new Set(problem.faults.flatMap(({ fault }) => faults.get(fault)?.category ?? []))],
  suite,
  contender: contender.name,
  epoch,
})

/** Returns how long the solver waited for models, in milliseconds. */
const modelTimeOf = (events: readonly EpisodeEvent[]): number =>
  events.reduce((sum, event) => sum + (event.type === 'model-called' ? event.answer.milliseconds : 0), 0)

/** Throws if the record has no verdict. */
export const toEpisodeResult = (
  planned: PlannedEpisode,
  events: readonly EpisodeEvent[],
  faults: ReadonlyMap<string, Fault>,
): FinishedEpisode => {
  const started = events.find((event) => event.type === 'episode-started')
  const given = events.findLast((event) => event.type === 'verdict-given')
  if (started === undefined || given === undefined)
    throw new RemediumError('bad-file', `The record of ${planned.episode} has no verdict.`)
  const { outcome, blame, code, reason, judgements, metrics } = given.verdict
  const check = events.findLast((event) => event.type === 'micro-remed-checked')
  const judged = Object.fromEntries(judgements.map(({ oracle, holds }) => [oracle, holds])) as Partial<
    Record<Judgement['oracle'], Holds>
  >
  return {
    ...commonFieldsOf(planned, faults),
    outcome,
    reason,
    judged,
    metrics,
    ...defined({ blame, code, passesMicroRemedCheck: check?.holds }),
    stages: { ...stageTimesOf(events), model: Math.round(modelTimeOf(events)) },
    ended: Math.round(started.time + given.at),
  }
}

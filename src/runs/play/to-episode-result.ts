/** What is kept of an episode in a run's results, derived from its record. */
import {
  type EpisodeEvent,
  type EpisodeResult,
  type Fault,
  type Judgement,
  NO_METRICS,
  RemediumError,
} from '../../spec/index.ts'
import type { Failure } from '../pool/worker-messages.ts'
import { stagesOf } from '../stages.ts'
import type { PlannedEpisode } from './plan-episodes.ts'

export type FinishedEpisode = Omit<EpisodeResult, 'tries' | 'failures'>

const headOf = (
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

/** What the solver waited for models. */
const modelTimeOf = (events: readonly EpisodeEvent[]): number =>
  events.reduce((sum, event) => sum + (event.type === 'model-called' ? event.answer.milliseconds : 0), 0)

/** Throws of a record without a verdict. */
export const toEpisodeResult = (
  planned: PlannedEpisode,
  events: readonly EpisodeEvent[],
  faults: ReadonlyMap<string, Fault>,
): FinishedEpisode => {
  const began = events.find((event) => event.type === 'episode-began')
  const given = events.findLast((event) => event.type === 'verdict-given')
  if (began === undefined || given === undefined)
    throw new RemediumError('bad-file', `The record of ${planned.episode} holds no verdict.`)
  const { outcome, blame, reason, judgements, metrics } = given.verdict
  const judged = Object.fromEntries(judgements.map(({ oracle, holds }) => [oracle, holds])) as Partial<
    Record<Judgement['oracle'], boolean>
  >
  return {
    ...headOf(planned, faults),
    outcome,
    reason,
    judged,
    metrics,
    ...(blame === undefined ? {} : { blame }),
    stages: { ...stagesOf(events), model: Math.round(modelTimeOf(events)) },
    ended: Math.round(began.time + given.at),
  }
}

/** Of an episode that others spoilt as often as it was begun. */
export const toVoidResult = (
  planned: PlannedEpisode,
  { code, message, blame }: Failure,
  faults: ReadonlyMap<string, Fault>,
  ended: number,
): FinishedEpisode => ({
  ...headOf(planned, faults),
  outcome: 'void',
  blame,
  code,
  reason: message,
  judged: {},
  metrics: NO_METRICS,
  stages: {},
  ended,
})

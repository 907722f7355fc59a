/** Ends and judges the record of a try that a failure outside the episode ended: its worker was lost, or nothing could be prepared. */
import { judgeRecord } from '#exam/oracles'
import { defined } from '#kit'
import {
  type Blame,
  EPISODE_SCHEMA,
  type EpisodeEvent,
  type Fault,
  JUDGING_RULES,
  type LoadProfile,
  type Problem,
  type System,
  type Verdict,
} from '#spec'
import { createSystemView } from '#world/system-view'
import { loadOf } from '../laboratory/load-of.ts'

export interface RecordStart {
  readonly problem: Problem
  readonly solver: string
  readonly engine: string
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly secret?: string | undefined
}

/** The first event of every record. */
export const startEventOf = (
  { problem, solver, engine, time, secret }: RecordStart,
  system: System,
): EpisodeEvent & { readonly type: 'episode-started' } => {
  const load: LoadProfile = problem.load ?? loadOf(system)
  return {
    at: 0,
    type: 'episode-started',
    schema: EPISODE_SCHEMA,
    rules: JUDGING_RULES,
    time,
    problem,
    solver,
    engine,
    load,
    ...defined({ secret }),
  }
}

export interface TryFailure {
  readonly code: string
  readonly message: string
  readonly blame: Blame
}

export interface FailedRecord {
  readonly events: readonly EpisodeEvent[]
  readonly verdict: Verdict
}

/** Keeps a void verdict that the record already ends with. The added events have the time of the last event. */
export const failRecord = (
  events: readonly EpisodeEvent[],
  { code, message, blame }: TryFailure,
  system: System,
  faults: ReadonlyMap<string, Fault>,
): FailedRecord => {
  const given = events.findLast((event) => event.type === 'verdict-given')
  if (given?.verdict.outcome === 'void') return { events, verdict: given.verdict }
  const at = events.at(-1)!.at
  const failed: EpisodeEvent[] = [...events, { at, type: 'harness-failed', code, message, blame }]
  const verdict = judgeRecord(failed, createSystemView(system), faults)
  return { events: [...failed, { at, type: 'verdict-given', verdict }], verdict }
}

/** Judges a record again, without a cluster, and compares with the verdict that it holds. */
import { deepEqual } from '../../kit/index.ts'
import type { EpisodeEvent, Fault, SystemView, Verdict } from '../../spec/index.ts'
import { RemediumError } from '../../spec/index.ts'

export interface Score {
  readonly problem: string
  readonly solver: string
  /** Whether something was wrong at all. */
  readonly isFaulty: boolean
  readonly recorded: Verdict
  readonly recomputed: Verdict
  /** In every word. */
  readonly same: boolean
}

export interface Judging {
  readonly faults: ReadonlyMap<string, Fault>
  systemOf(name: string): Promise<SystemView>
  judge(events: readonly EpisodeEvent[], system: SystemView, faults: ReadonlyMap<string, Fault>): Verdict
}

/** Undefined of an episode that was never judged, because the harness failed before. */
export const scoreRecord = async (
  events: readonly EpisodeEvent[],
  { faults, systemOf, judge }: Judging,
): Promise<Score | undefined> => {
  const began = events.find((event) => event.type === 'episode-began')
  if (began === undefined)
    throw new RemediumError('bad-file', 'The record does not say how its episode began.')
  const given = events.find((event) => event.type === 'verdict-given')
  if (given === undefined) return undefined
  const recomputed = judge(events, await systemOf(began.problem.system), faults)
  return {
    problem: began.problem.id,
    solver: began.solver,
    isFaulty: began.problem.faults.length > 0,
    recorded: given.verdict,
    recomputed,
    same: deepEqual(JSON.parse(JSON.stringify(recomputed)), given.verdict),
  }
}

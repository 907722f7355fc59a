/** Judges a record again, without a cluster, and compares the result with the verdict that it contains. */
import { deepEqual } from '#kit'
import type { EpisodeEvent, Fault, SystemView, Verdict } from '#spec'
import { RemediumError } from '#spec'

const WORDING_FIELDS: readonly string[] = ['reason', 'evidence', 'what']

export interface Score {
  readonly problem: string
  readonly solver: string
  /** Whether the problem has a fault; false for a control. */
  readonly isFaulty: boolean
  readonly recorded: Verdict
  readonly recomputed: Verdict
  /** Whether both verdicts agree in everything except the wording. */
  readonly isSame: boolean
}

export interface Judging {
  readonly faults: ReadonlyMap<string, Fault>
  systemOf(name: string): Promise<SystemView>
  judge(events: readonly EpisodeEvent[], system: SystemView, faults: ReadonlyMap<string, Fault>): Verdict
}

/** Another version may word a verdict differently, but must reach the same decision. */
const withoutWording = (verdict: Verdict): unknown =>
  JSON.parse(JSON.stringify(verdict, (key, value) => (WORDING_FIELDS.includes(key) ? undefined : value)))

/** Returns undefined if the episode was interrupted before a verdict. */
export const scoreRecord = async (
  events: readonly EpisodeEvent[],
  { faults, systemOf, judge }: Judging,
): Promise<Score | undefined> => {
  const started = events.find((event) => event.type === 'episode-started')
  if (started === undefined) throw new RemediumError('bad-file', 'The record has no episode-started event.')
  const verdictEvent = events.findLast((event) => event.type === 'verdict-given')
  if (verdictEvent === undefined) return undefined
  const recomputed = judge(events, await systemOf(started.problem.system), faults)
  return {
    problem: started.problem.id,
    solver: started.solver,
    isFaulty: started.problem.faults.length > 0,
    recorded: verdictEvent.verdict,
    recomputed,
    isSame: deepEqual(withoutWording(recomputed), withoutWording(verdictEvent.verdict)),
  }
}

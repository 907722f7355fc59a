/** Computes from a record how long the stages of an episode took. */
import type { EpisodeEvent } from '#spec'

/** Milliseconds for each stage. */
export interface StageTimes {
  /** From the baseline until the last fault was in effect. */
  readonly inject: number
  /** From then until users were affected; 0 if the episode did not wait for user impact. */
  readonly impact: number
  readonly report: number
  readonly solve: number
  readonly verify: number
  /** From the start of the injection to the verdict. */
  readonly total: number
}

const lastAt = (events: readonly EpisodeEvent[], type: EpisodeEvent['type']): number | undefined =>
  events.findLast((event) => event.type === type)?.at

/** Returns an empty object if the record does not reach a verdict. */
export const stageTimesOf = (events: readonly EpisodeEvent[]): Partial<StageTimes> => {
  const healthy = lastAt(events, 'baseline-taken')
  const started = lastAt(events, 'solver-started')
  const ended = lastAt(events, 'solver-ended')
  const judged = lastAt(events, 'verdict-given')
  if (healthy === undefined || started === undefined) return {}
  if (ended === undefined || judged === undefined) return {}
  const lastInjection = events.findLast(({ type, at }) => type === 'fault-injected' && at <= started)?.at
  const affected = lastAt(events, 'user-impact-observed') ?? lastInjection ?? healthy
  const injected = Math.min(lastInjection ?? healthy, affected)
  return {
    inject: Math.round(injected - healthy),
    impact: Math.round(affected - injected),
    report: Math.round(started - affected),
    solve: Math.round(ended - started),
    verify: Math.round(judged - ended),
    total: Math.round(judged - healthy),
  }
}

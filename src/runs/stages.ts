/** How long the stages of an episode took, from its record. */
import type { EpisodeEvent } from '../spec/index.ts'

/** Milliseconds. */
export interface Stages {
  /** Until the last fault was in force. */
  readonly inject: number
  /** From then until users felt it; 0 where nobody waited for that. */
  readonly shown: number
  /** Until the solver was told. */
  readonly report: number
  readonly act: number
  readonly verify: number
  /** From the beginning of the injection to the verdict. */
  readonly total: number
}

const lastAt = (events: readonly EpisodeEvent[], type: EpisodeEvent['type']): number | undefined =>
  events.findLast((event) => event.type === type)?.at

/** Nothing of a record that does not reach its verdict. */
export const stagesOf = (events: readonly EpisodeEvent[]): Partial<Stages> => {
  const healthy = lastAt(events, 'baseline-taken')
  const began = lastAt(events, 'solver-began')
  const ended = lastAt(events, 'solver-ended')
  const judged = lastAt(events, 'verdict-given')
  if (healthy === undefined || began === undefined) return {}
  if (ended === undefined || judged === undefined) return {}
  const injectedBefore = events.findLast(({ type, at }) => type === 'fault-injected' && at <= began)?.at
  const shown = lastAt(events, 'fault-shown') ?? injectedBefore ?? healthy
  const injected = Math.min(injectedBefore ?? healthy, shown)
  return {
    inject: Math.round(injected - healthy),
    shown: Math.round(shown - injected),
    report: Math.round(began - shown),
    act: Math.round(ended - began),
    verify: Math.round(judged - ended),
    total: Math.round(judged - healthy),
  }
}

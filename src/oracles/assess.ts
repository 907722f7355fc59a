/** Judges an episode as far as its record has come. */
import type { Verdict } from '../spec/index.ts'
import type { EpisodeFacts } from './episode-view.ts'

export interface Assessment {
  /** `undecided`: more evidence may change it; ask again after the next events. */
  readonly state: 'resolved' | 'unresolved' | 'undecided'
  /** As if the record ended here: what is undecided counts as unresolved. */
  readonly verdict: Verdict
  /** How many more walks of which journey would help to decide. */
  readonly wanted: ReadonlyMap<string, number>
}

/**
 * Time comes from the record alone: where nothing happens, add an event (walks, even none) to let it pass. Decided
 * once, nothing more may be recorded before the verdict.
 */
export const assess = (_view: EpisodeFacts): Assessment => {
  throw new Error('in the making')
}

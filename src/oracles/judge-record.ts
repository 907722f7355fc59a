/** Gives the verdict of a finished record once more. */
import type { EpisodeEvent, Fault, SystemView, Verdict } from '../spec/index.ts'
import { assess } from './assess.ts'
import { createEpisodeView } from './create-episode-view.ts'

/** What was recorded from the verdict on is not looked at. */
export const judgeRecord = (
  events: readonly EpisodeEvent[],
  system: SystemView,
  faults: ReadonlyMap<string, Fault>,
): Verdict => {
  const view = createEpisodeView(system, faults)
  for (const event of events) {
    if (event.type === 'verdict-given') break
    view.add(event)
  }
  return assess(view).verdict
}

/** Judges a finished record again. */
import type { EpisodeEvent, Fault, SystemView, Verdict } from '#spec'
import { assess } from './assess.ts'
import { createEpisodeView } from './view/create-episode-view.ts'

/** Ignores a recorded verdict and all later events, except failures that make the episode void. */
export const judgeRecord = (
  events: readonly EpisodeEvent[],
  system: SystemView,
  faults: ReadonlyMap<string, Fault>,
): Verdict => {
  const view = createEpisodeView(system, faults)
  const end = events.findIndex(({ type }) => type === 'verdict-given')
  for (const event of end === -1 ? events : events.slice(0, end)) view.add(event)
  const failure = events.findLast(({ type }) => type === 'harness-failed')
  if (failure !== undefined) view.add(failure)
  return assess(view).verdict
}

/** In which journeys users were seen to suffer, and how many walks it takes to know that they do no more. */
import type { EpisodeFacts } from './episode-view.ts'
import { toJourneyLimits } from './journey-limits.ts'

/** By journey: so many walks in a row have to be good. */
export type Sufferers = ReadonlyMap<string, number>

/** What still ails a journey as much as before would show in the walks with this chance. */
const CERTAINTY = 0.99
const LEAST = 6
const MOST = 16
/** Beside those that were shown: journeys of which at least this share was bad. */
const BAD_SHARE = 0.3

export const sufferersOf = (view: EpisodeFacts): Sufferers => {
  const since = Math.min(...[...view.injections.values()].map((injection) => injection.since))
  const until = view.ended?.at ?? view.at
  const found = new Map<string, number>()
  for (const [journey, baseline] of view.baseline) {
    const { servedMs } = toJourneyLimits(baseline)
    const walks = (view.walks.get(journey) ?? []).filter(
      ({ began, ended }) => began >= since && ended <= until,
    )
    const bad = walks.filter(
      ({ failedAt, latencyMs }) => failedAt !== undefined || latencyMs > servedMs,
    ).length
    const share = (bad + 1) / (walks.length + 2)
    const isShown = view.shown?.shown === true && view.shown.journeys.includes(journey)
    if (!isShown && (bad < 3 || share < BAD_SHARE)) continue
    const needed = Math.ceil(Math.log(1 - CERTAINTY) / Math.log(1 - share))
    found.set(journey, Math.min(MOST, Math.max(LEAST, needed)))
  }
  return found
}

/** In which journeys users were seen to suffer, and how many walks it takes to know that they do no more. */
import type { EpisodeFacts } from './episode-view.ts'
import { toJourneyLimits } from './journey-limits.ts'

/** By journey: so many walks in a row have to be good. */
export type Sufferers = ReadonlyMap<string, number>

/** What still ails a journey as much as before would show in the walks but for this chance. */
const CHANCE = 0.01
const LEAST = 6
const MOST = 16
const LEAST_OF_EACH = 2
/** Who was still seen to suffer after the act is believed less easily. */
const CHANCE_AFTERWARDS = 0.0001
const MOST_AFTERWARDS = 40
/** Beside those that were shown: journeys of which at least this share was bad. */
const BAD_SHARE = 0.3

/** So many good walks in a row are not to be had by chance from somebody of whose walks so many are bad. */
const neededFor = (bad: number, walks: number, chance: number): number =>
  Math.ceil(Math.log(chance) / Math.log(1 - (bad + 1) / (walks + 2)))

/** From the injection to the end of the act. */
export const sufferersOf = (view: EpisodeFacts): Sufferers => {
  const since = Math.min(...[...view.injections.values()].map((injection) => injection.since))
  const until = view.ended?.at ?? view.at
  const found = new Map<string, number>()
  // Several journeys that suffer from the same cause bear witness for each other.
  const shareOut = (needed: number): number =>
    Math.min(needed, Math.max(LEAST_OF_EACH, Math.ceil((2 * needed) / found.size)))
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
    found.set(journey, Math.min(MOST, Math.max(LEAST, neededFor(bad, walks.length, CHANCE))))
  }
  return new Map([...found].map(([journey, needed]) => [journey, shareOut(needed)]))
}

/**
 * How many walks a window that begins at `since` needs, as there were bad ones between the act and it. Those before the
 * first good one do not count: it took so long until all was well.
 */
export const neededAfterwards = (
  view: EpisodeFacts,
  journey: string,
  from: number,
  since: number,
): number => {
  const baseline = view.baseline.get(journey)
  if (baseline === undefined) return 0
  const { farMs } = toJourneyLimits(baseline)
  const between = (view.walks.get(journey) ?? []).filter(({ began }) => began >= from && began < since)
  const good = between.filter(({ failedAt }) => failedAt === undefined).map(({ began }) => began)
  const firstGood = Math.min(...good)
  const walks = between.filter(({ began }) => began >= firstGood)
  const late = view.pending.filter(
    ([name, began]) => name === journey && began > firstGood && began < since && view.at - began > farMs,
  ).length
  const bad = walks.length - good.length + late
  return bad === 0 ? 0 : Math.min(MOST_AFTERWARDS, neededFor(bad, walks.length + late, CHANCE_AFTERWARDS))
}

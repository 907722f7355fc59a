/** Whether users are served: a window of time after the act in which every journey goes as it did while all was well. */
import type { Finding } from '../spec/index.ts'
import type { EpisodeFacts, Walk } from './episode-view.ts'
import { toJourneyLimits } from './journey-limits.ts'
import { median } from './median.ts'
import { neededAfterwards, type Sufferers, sufferersOf } from './sufferers.ts'

export interface ServiceWindow extends Finding {
  /** When the window begins that proves it. */
  readonly since?: number
  /** How many more walks of which journey would prove it. */
  readonly wanted: ReadonlyMap<string, number>
  /** What is wrong is that they wait too long, from then on: what they wait for comes. */
  readonly slowSince?: number
}

/** No window is shorter. */
const LEAST_WINDOW_MS = 2000
/** A bad moment only makes the window begin later: this far apart are the beginnings that are tried. */
const TRY_EVERY_MS = 250
/** Or farther, where there would be more of them than this. */
const MOST_TRIALS = 40
/** From so many walks on, one in so many may fail. */
const ONE_FAILURE_IN = 100
/**
 * One walk in twenty may be far slower than it was, of each journey and of all together: the 95th percentile is not. Of few walks more
 * may be so by chance, but never more than this share of them. One always may, where there are several.
 */
const FAR_SHARE = 0.05
const MOST_FAR_SHARE = 0.1
/** Beyond so many standard deviations it is no chance, but for one time in twenty. */
const DEVIATIONS = 1.65
const SEVERAL = 4

interface Trial {
  readonly since: number
  readonly wanted: ReadonlyMap<string, number>
  /** What is wrong; nothing where only walks are missing. */
  readonly wrong?: string
  readonly walks: number
  readonly failures: number
  /** More fail than may. */
  readonly isFailing: boolean
}

const latencyOf = ({ latencyMs }: Walk): number => latencyMs

const mayBeFar = (walks: number): number => {
  const byChance = walks * FAR_SHARE + DEVIATIONS * Math.sqrt(walks * FAR_SHARE * (1 - FAR_SHARE))
  return Math.max(1, Math.floor(Math.min(byChance, walks * MOST_FAR_SHARE)))
}

/** How many of the walks of a journey are far slower than they were. */
const countFar = (view: EpisodeFacts, journey: string, walks: readonly Walk[]): number => {
  const baseline = view.baseline.get(journey)
  if (baseline === undefined || baseline.walks === 0) return 0
  const { farMs } = toJourneyLimits(baseline)
  return walks.filter(({ latencyMs }) => latencyMs > farMs).length
}

/** What is wrong with the pace of a journey in the window. */
const paceIsWrong = (view: EpisodeFacts, journey: string, walks: readonly Walk[]): string | undefined => {
  const baseline = view.baseline.get(journey)
  if (baseline === undefined || baseline.walks === 0 || walks.length === 0) return undefined
  const { servedMs, farMs } = toJourneyLimits(baseline)
  const middle = median(walks.map(latencyOf))
  const tell = (what: string, limit: number) =>
    `${journey} takes ${what} (${baseline.p50.toFixed(0)} ms while all was well, at most ${limit.toFixed(0)} ms)`
  if (walks.length >= SEVERAL && middle > servedMs) return tell(`${middle.toFixed(0)} ms`, servedMs)
  const far = countFar(view, journey, walks)
  const allowed = walks.length >= SEVERAL ? mayBeFar(walks.length) : 0
  return far > allowed ? tell(`${far} times of ${walks.length} far too long`, farMs) : undefined
}

/** What is wrong with the pace of all journeys together that suffered, of each of which there may be few walks. */
const recoveryIsWrong = (view: EpisodeFacts, since: number, sufferers: Sufferers): string | undefined => {
  const ratios = [...sufferers.keys()].flatMap((journey) => {
    const { servedMs } = toJourneyLimits(view.baseline.get(journey)!)
    return (view.walks.get(journey) ?? [])
      .filter(({ began }) => began >= since)
      .map(({ latencyMs }) => latencyMs / servedMs)
  })
  if (ratios.length < SEVERAL || median(ratios) <= 1) return undefined
  return `those who suffered still wait ${median(ratios).toFixed(1)} times as long as they may`
}

const waitsInVain = ({ pending, at, baseline }: EpisodeFacts, since: number): string | undefined => {
  for (const [journey, began] of pending) {
    const usual = baseline.get(journey)
    if (began >= since && usual !== undefined && at - began > toJourneyLimits(usual).farMs)
      return `a user has waited for the end of ${journey} for ${((at - began) / 1000).toFixed(1)} s`
  }
  return undefined
}

const tryFrom = (view: EpisodeFacts, from: number, since: number, sufferers: Sufferers): Trial => {
  const wanted = new Map<string, number>()
  let [total, failures, far, wrong] = [0, 0, 0, waitsInVain(view, since)]
  let failed: string | undefined
  for (const journey of view.baseline.keys()) {
    const walks = (view.walks.get(journey) ?? []).filter(({ began }) => began >= since)
    const bad = walks.filter(({ failedAt }) => failedAt !== undefined)
    total += walks.length
    failures += bad.length
    far += countFar(view, journey, walks)
    if (bad.length > 0)
      failed ??= `${bad.length} of ${walks.length} walks of ${journey} failed at ${bad[0]!.failedAt}`
    wrong ??= paceIsWrong(view, journey, walks)
    const needed = Math.max(sufferers.get(journey) ?? 1, neededAfterwards(view, journey, from, since))
    const missing = needed - walks.length
    if (missing > 0) wanted.set(journey, missing)
  }
  wrong ??= recoveryIsWrong(view, since, sufferers)
  if (far > mayBeFar(total)) wrong ??= `of ${total} walks of all journeys ${far} take far too long`
  const isFailing = failures > Math.floor(total / ONE_FAILURE_IN)
  if (isFailing) wrong = failed
  return { since, wanted, walks: total, failures, isFailing, ...(wrong === undefined ? {} : { wrong }) }
}

const leastWindow = ({ problem, injections }: EpisodeFacts): number => {
  const shapes = [...(problem?.faults ?? []), ...[...injections.values()].map(({ planned }) => planned)]
  const periods = shapes.map(({ shape }) => (shape.kind === 'intermittent' ? shape.onMs + shape.offMs : 0))
  return Math.max(LEAST_WINDOW_MS, ...periods)
}

const tell = ({ since, walks, failures }: Trial, at: number): string =>
  `in the last ${((at - since) / 1000).toFixed(1)} s ${walks - failures} of ${walks} walks succeeded, all journeys in their usual time`

/** Only with walks from then on: the others need not be looked at for every window again. */
const afterwards = (view: EpisodeFacts, from: number): EpisodeFacts => ({
  ...view,
  walks: new Map(
    [...view.walks].map(([journey, walks]) => [journey, walks.filter(({ began }) => began >= from)]),
  ),
})

/** `from`: no window begins earlier. */
export const judgeUsers = (record: EpisodeFacts, from: number): ServiceWindow => {
  const sufferers = sufferersOf(record)
  const view = afterwards(record, from)
  const leastMs = leastWindow(view)
  const step = Math.max(TRY_EVERY_MS, (view.at - from) / MOST_TRIALS)
  let wrong: string | undefined
  let slowSince: number | undefined = from
  let trial = tryFrom(view, from, from, sufferers)
  // An empty window has nothing wrong in it, so this ends.
  while (trial.wrong !== undefined) {
    wrong = trial.wrong
    slowSince = trial.isFailing ? undefined : (slowSince ?? trial.since)
    trial = tryFrom(view, from, trial.since + step, sufferers)
  }
  const { since, wanted } = trial
  if (wanted.size === 0 && view.at - since >= leastMs)
    return { holds: true, evidence: tell(trial, view.at), wanted, since }
  const missing = [...wanted].map(([journey, count]) => `${count} of ${journey}`).join(', ')
  const short = `all is well for ${(Math.max(0, view.at - since) / 1000).toFixed(1)} s only`
  const evidence = wrong ?? (missing === '' ? short : `walks are missing: ${missing}`)
  return { holds: false, evidence, wanted, ...(slowSince === undefined ? {} : { slowSince }) }
}

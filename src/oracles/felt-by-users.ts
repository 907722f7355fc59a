/** Whether users feel something now, against how they fared while all was well. */
import type { JourneyBaseline } from '../spec/index.ts'
import type { EpisodeFacts, Walk } from './episode-view.ts'
import { type JourneyLimits, toJourneyLimits } from './journey-limits.ts'
import { median } from './median.ts'

export interface Feeling {
  readonly shown: boolean
  /** In which something is felt. */
  readonly journeys: readonly string[]
  readonly evidence: string
}

/** Walks that ended earlier say nothing about now. */
const RECENT_MS = 3000
/** Of a journey that takes seconds there are few walks: the last of them count for longer, if all came with the fault. */
const SLOW_RECENT_MS = 12_000
/** So many failures are no accident, if they are also such a share of the walks. */
const LEAST_FAILURES = 3
const LEAST_FAILED_SHARE = 0.25
/** So many walks make a median, of one journey and of all together. */
const LEAST_WALKS = 8
const LEAST_WALKS_OF_ALL = 12
/**
 * A busy moment slows everything that is on its way at once. So what is slow has to be slow in two parts of the time that
 * are so long, one after the other.
 */
const LEAST_SPAN_MS = 1000
/** Between busy moments walks are as quick as ever; with a fault hardly one is: so quick, and such a share. */
const CALM_RATIO = 0.6
const MOST_CALM = 0.2

/** From when to when it was seen: a moment, or as long as somebody has waited. */
interface Failure {
  readonly from: number
  readonly to: number
}

interface Recent {
  readonly journey: string
  readonly walks: readonly Walk[]
  /** Those that a median is made of. */
  readonly last: readonly Walk[]
  /** Walks that failed or took hopelessly long, and those who wait in vain. */
  readonly failed: readonly Failure[]
  readonly baseline: JourneyBaseline | undefined
}

const limitsOf = (baseline: JourneyBaseline | undefined): JourneyLimits | undefined =>
  baseline === undefined || baseline.walks === 0 ? undefined : toJourneyLimits(baseline)

/**
 * What began before the fault was in force may have met nothing but its being put in; and what began before the pods that it
 * brought serve, nothing but their coming. Those that do not come to serve are waited for no longer.
 */
const inForceSince = ({ injections, unsettled, settledAt }: EpisodeFacts): number => {
  if (injections.size === 0) return Number.NEGATIVE_INFINITY
  const since = Math.min(...[...injections.values()].map((injection) => injection.since))
  return unsettled.size === 0 ? Math.max(since, settledAt) : since
}

/** Where pods have come or gone, failures of one moment may be those of the change. */
const isMoment = ({ unsettled, settledAt }: EpisodeFacts, failed: readonly Failure[]): boolean => {
  if (unsettled.size === 0 && settledAt === 0) return false
  const [first, last] = [Math.min(...failed.map(({ from }) => from)), Math.max(...failed.map(({ to }) => to))]
  return last - first < LEAST_SPAN_MS
}

const recentWalks = (view: EpisodeFacts): Recent[] => {
  const { at, baseline, pending } = view
  const since = inForceSince(view)
  const isRecent = ({ began, ended }: Walk): boolean => ended > at - RECENT_MS && began >= since
  const names = new Set([...baseline.keys(), ...view.walks.keys()])
  return [...names].map((journey) => {
    const limits = limitsOf(baseline.get(journey))
    const walks = (view.walks.get(journey) ?? []).filter(isRecent)
    const later = (view.walks.get(journey) ?? []).filter(
      ({ began, ended }) => ended > at - SLOW_RECENT_MS && began >= since && view.injections.size > 0,
    )
    const last = walks.length >= LEAST_WALKS ? walks : [...new Set([...later.slice(-LEAST_WALKS), ...walks])]
    const isHopeless = (ms: number): boolean => ms > (limits?.hopelessMs ?? Number.POSITIVE_INFINITY)
    const inVain = pending.filter(
      ([name, began]) => name === journey && began >= since && isHopeless(at - began),
    )
    const late = later.filter(({ latencyMs }) => isHopeless(latencyMs))
    const failed = [
      ...walks
        .filter((walk) => walk.failedAt !== undefined && !late.includes(walk))
        .map(({ ended }) => ({ from: ended, to: ended })),
      ...late.map(({ began, ended }) => ({ from: began, to: ended })),
      ...inVain.map(([, began]) => ({ from: began, to: at })),
    ]
    return {
      journey,
      walks: [...new Set([...walks, ...late])],
      last,
      failed,
      baseline: baseline.get(journey),
    }
  })
}

/** Three times as often as while all was well, and often enough to be no accident. */
const isFailing = (view: EpisodeFacts, journeys: readonly Recent[]): boolean => {
  const baseline = journeys.map((one) => one.baseline)
  const failed = journeys.flatMap((one) => one.failed)
  const walks = journeys.reduce((sum, one) => sum + one.walks.length, 0)
  const before = baseline.reduce((sum, one) => sum + (one?.failures ?? 0), 0)
  const walked = baseline.reduce((sum, one) => sum + (one?.walks ?? 0), 0)
  const usual = walked === 0 ? 0 : before / walked
  if (failed.length < LEAST_FAILURES || isMoment(view, failed)) return false
  return failed.length >= Math.max(LEAST_FAILED_SHARE, 3 * usual) * walks
}

/** A walk against what of its journey is felt: slow above 1. */
interface Pace {
  readonly ended: number
  readonly ratio: number
}

const toPaces = (walks: readonly Walk[], baseline: JourneyBaseline | undefined): Pace[] => {
  const limits = limitsOf(baseline)
  return limits === undefined
    ? []
    : walks.map(({ ended, latencyMs }) => ({ ended, ratio: latencyMs / limits.feltMs }))
}

const isSlow = (paces: readonly Pace[], least: number): boolean => {
  if (paces.length < least) return false
  const byTime = [...paces].sort((one, other) => one.ended - other.ended)
  const slow = byTime.filter(({ ratio }) => ratio > 1)
  if (slow.length === 0 || slow.at(-1)!.ended - slow[0]!.ended < LEAST_SPAN_MS) return false
  if (byTime.filter(({ ratio }) => ratio < CALM_RATIO).length > MOST_CALM * byTime.length) return false
  const middle = byTime.length >> 1
  return [byTime, byTime.slice(0, middle), byTime.slice(middle)].every(
    (part) => median(part.map(({ ratio }) => ratio)) > 1,
  )
}

const describe = ({ journey, last: walks, failed, baseline }: Recent): string => {
  const middle = median(walks.map(({ latencyMs }) => latencyMs))
  const slow = walks.length === 0 ? '' : `, median ${middle.toFixed(0)} ms`
  const usual = baseline === undefined ? '' : ` (${baseline.p50.toFixed(0)} ms while all was well)`
  return `${journey}: ${failed.length} of ${Math.max(walks.length, failed.length)} walks failed${slow}${usual}`
}

export const feltByUsers = (view: EpisodeFacts): Feeling => {
  const recent = recentWalks(view)
  const allFail = isFailing(view, recent)
  const allSlow = isSlow(
    recent.flatMap(({ walks, baseline }) => toPaces(walks, baseline)),
    LEAST_WALKS_OF_ALL,
  )
  const felt = recent.filter((one) => {
    const paces = toPaces(one.walks, one.baseline)
    return (
      isFailing(view, [one]) ||
      (allFail && one.failed.length > 0) ||
      isSlow(toPaces(one.last, one.baseline), LEAST_WALKS) ||
      (allSlow && median(paces.map(({ ratio }) => ratio)) > 1)
    )
  })
  return {
    shown: felt.length > 0,
    journeys: felt.map(({ journey }) => journey),
    evidence:
      felt.length > 0
        ? felt.map(describe).join('; ')
        : `none of ${recent.flatMap(({ walks }) => walks).length} walks of the last ${RECENT_MS / 1000} s tells of a fault`,
  }
}
